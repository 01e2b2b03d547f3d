/**
 * Variants of the library that break a promise where two parts meet, each as a change of a few
 * lines of its source. Most of them were the library once.
 */

import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** A variant. */
export interface Variant {
  readonly name: string
  /** The changed file, in `src`. */
  readonly file: string
  /** The lines that are replaced. They occur once in the file. */
  readonly from: string
  readonly to: string
}

const root = new URL('../../../src/', import.meta.url)

/** All variants. */
export const variants: readonly Variant[] = [
  {
    name: 'a vault with tombstones cannot be erased',
    file: 'storage/encrypted/erase-scope.ts',
    from: '  const hadKeys =',
    to: `  for (const collection of collectionsOf(scope).map(innerCollection))
    if ((await records.list(collection, { limit: 1 })).length > 0) throw new RangeError('records')
  const hadKeys =`,
  },
  {
    name: 'an erasure leaves records',
    file: 'storage/encrypted/erase-scope.ts',
    from: 'await deleteRecord(records, { collection, id }, version)',
    to: 'void version',
  },
  {
    name: 'a process creates a vault under erased keys',
    file: 'storage/encrypted/guard-vaults.ts',
    from: 'if (!isVault) return',
    to: 'if (!isVault || keys) return',
  },
  {
    name: 'a vault without tombstone is erased',
    file: 'storage/encrypted/erase-scope.ts',
    from: 'if (vault === undefined || !isTombstone(vaultRecords, scope, vault.body))',
    to: 'if (vault === undefined)',
  },
  {
    name: 'an id that the vault made can be chosen',
    file: 'base/reserved-id.ts',
    from: 'return /^[0189][\\da-z]{25}$/.test(id)',
    to: 'return id === undefined',
  },
  {
    name: 'a deleted item with a chosen id leaves no tombstone',
    file: 'core/records/delete-item-record.ts',
    from: 'const isDeleted = isIdChosen',
    to: 'const isDeleted = isIdChosen && ref === undefined',
  },
  {
    name: 'versions of an earlier item are listed',
    file: 'core/records/version-records.ts',
    from: 'if (version < firstVersion) continue',
    to: 'if (version < 1) continue',
  },
  {
    name: 'a process without keys writes',
    file: 'core/runtime/encryption-check.ts',
    from: '    const rings = await records.list(keyRingRecords',
    to: '    if (looking !== records) return\n    const rings = await records.list(keyRingRecords',
  },
  {
    name: 'keys are used that are rolled back',
    file: 'storage/encrypted/keys/ring-store.ts',
    from: '    assertCommitted: () => assertCommitted(keyRings),\n',
    to: '    assertCommitted: async () => {},\n',
  },
  {
    name: 'one damaged record fails its list',
    file: 'storage/encrypted/records.ts',
    from: '    if (!isUnreadable(error)) throw error\n    return',
    to: '    if (isUnreadable(error) || error) throw error\n    return',
  },
  {
    name: 'a key that is denied shortens a list',
    file: 'storage/encrypted/records.ts',
    from: '    if (!isUnreadable(error)) throw error\n    return { id, version: row.version, body: noBytes, unreadable: error }',
    to: '    return { id, version: row.version, body: noBytes, unreadable: unreadableRecordError({ collection, id, version: row.version }) }',
  },
  {
    name: 'a refresh token is used for a request',
    file: 'schema/grant-item.ts',
    from: 'if (id === refreshTokenField) return true',
    to: 'if (id !== undefined) return false',
  },
  {
    name: 'a revoked grant is used again',
    file: 'oauth/refreshes.ts',
    from: 'return isSame && toRevoked(stored)',
    to: 'return isSame || toRevoked(stored)',
  },
  {
    name: 'a caller who has expired makes a change',
    file: 'core/access/caller.ts',
    from: '  if (leftMs > 0) return leftMs\n',
    to: '  if (leftMs > 0 || expiresAt.getTime() === 0) return 1\n',
  },
  {
    name: 'a change is not recorded',
    file: 'activity/activity-recorder.ts',
    from: "        await recordChange(begun, { result: 'SUCCESS' }, stored?.version ?? returned?.version)\n",
    to: '',
  },
  {
    name: 'a change is recorded outside its transaction',
    file: 'activity/activity-recorder.ts',
    from: "transaction !== undefined && outcome.result === 'SUCCESS'",
    to: 'transaction?.outside === null',
  },
  {
    name: 'a change is written outside its transaction',
    file: 'core/runtime/transaction.ts',
    from: '{ records: records.inTransaction(client), blobs }',
    to: '{ records, blobs }',
  },
  {
    name: 'a permission is not checked',
    file: 'core/operation/execute.ts',
    from: 'return authorize(caller, { vaultId, itemId }, needed)',
    to: 'return [authorize, needed].length > 0',
  },
  {
    name: 'a nonce is used twice',
    file: 'storage/encrypted/envelope/record-envelope.ts',
    from: '  pool = pool.subarray(length)\n',
    to: '  pool = pool.subarray(length * Math.round(Math.random() * 0.6))\n',
  },
]

/**
 * Returns the source of the changed file.
 * @throws Error if the file has changed so that the variant no longer applies.
 */
export function changedSource({ name, file, from, to }: Variant): string {
  const parts = readFileSync(new URL(file, root), 'utf8').split(from)
  if (parts.length !== 2)
    throw new Error(`the variant '${name}' does not apply: its lines are not once in ${file}`)
  return parts.join(to)
}

/** Loads the source of a variant instead of the file of the library, from now on. */
export function applyVariant(name: string): void {
  const variant = variants.find((each) => each.name === name)
  if (variant === undefined) throw new RangeError(`no variant is called ${name}`)
  const url = new URL(variant.file, root).href
  const source = changedSource(variant)
  registerHooks({
    load(loaded, context, next) {
      return loaded === url ? { ...next(loaded, context), source } : next(loaded, context)
    },
  })
}
