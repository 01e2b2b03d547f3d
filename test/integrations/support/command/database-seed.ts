/** A seed file for the tests of the command. */

/** Where the only password of `databaseSeed` is. */
export const databaseReference = 'op://Team/Database/password'

/** Returns a seed of the vault *Team* with one login, *Database*, and files if they are given. */
export function databaseSeed(
  value: string,
  files?: readonly { readonly name: string; readonly content: string }[],
) {
  const fields = [{ id: 'password', purpose: 'PASSWORD', value }]
  const item = { category: 'LOGIN', title: 'Database', fields, ...(files && { files }) }
  return { vaults: [{ name: 'Team', items: [item] }] }
}
