import { OnePasswordConnect, type OPConnect } from '@1password/connect'
import { connectDialect } from 'cofferkit/connect'
import { createTestVault, itemDraft, vaultMatchers } from 'cofferkit/testing'
import { afterAll, beforeEach, expect, test } from 'vitest'

/** The code under test: it knows only the client, the URL and the token. */
async function readPassword(
  client: OPConnect,
  title: string,
): Promise<string | undefined> {
  const { id = '' } = await client.getVaultByTitle('Shop')
  const { fields = [] } = await client.getItemByTitle(id, title)
  return fields.find((field) => field.id === 'password')?.value
}

expect.extend(vaultMatchers)

const orders = itemDraft('DATABASE', {
  title: 'Orders',
  values: { password: 'hunter2' },
})
const seed = { vaults: [{ name: 'Shop', items: [orders] }] }
const vault = await createTestVault({ seed, dialect: connectDialect })
const { origin, close } = await vault.listen()
const client = OnePasswordConnect({
  serverURL: origin,
  token: vault.tokens.reader,
})

beforeEach(() => vault.reset())
afterAll(close)

test('reads a password', async () => {
  expect(await readPassword(client, 'Orders')).toBe('hunter2')
})

test('rejects when the item is missing', async () => {
  await expect(readPassword(client, 'Customers')).rejects.toBeVaultError(404)
})

test('rejects with a wrong token', async () => {
  const stranger = OnePasswordConnect({ serverURL: origin, token: 'unknown' })
  await expect(readPassword(stranger, 'Orders')).rejects.toBeVaultError(401)
})

test('reads a password that is changed while the program runs', async () => {
  expect(await readPassword(client, 'Orders')).toBe('hunter2')
  const { service, caller, vaultId } = vault
  const { id: itemId } = await vault.findItem('Orders')
  const patch = [
    { op: 'replace', path: '/fields/password/value', value: 'hunter3' },
  ] as const
  await service.patchItem(caller, { vaultId, itemId, patch })
  expect(await readPassword(client, 'Orders')).toBe('hunter3')
})
