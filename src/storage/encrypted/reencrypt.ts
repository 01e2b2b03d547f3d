/**
 * Brings what is stored under the current keys: data keys under the current KEK, records under the current data key.
 *
 * Each step is one compare-and-put that leaves the store right, so that a run may end anywhere and be begun again.
 * Records keep their versions. Before the first record of a scope is sealed anew, its ring says so, for those who
 * write at the same time.
 */

import { DecryptionError } from '../../errors.js'
import type { RecordKey, StoredRecord } from '../../store.js'
import { rowsOf, scopesOf, scopesWithKeys } from './all-scopes.js'
import { sealPlainBlob } from './blobs.js'
import { toBase64 } from './envelope/encoding.js'
import { headerOf, maxShift } from './envelope/record-envelope.js'
import { currentKey } from './keys/key-ring.js'
import type { LoadedRing } from './keys/key-store.js'
import { isPlain } from './plaintext-records.js'
import {
  decryptRecord,
  type EncryptedContext,
  encryptRecord,
  type OpenedRecord,
} from './records.js'
import { innerCollection, innerKey, scopeOfCollection } from './scopes.js'

/** What a rewrap is told. */
export interface ReencryptOptions {
  /**
   * The vaults' ids, `vaults` for the records of the vaults themselves, `activity` for an activity log in the store.
   * If absent, every scope that has keys, and as long as records may be plain every other as well. In a scope without
   * keys there is nothing to do, and none are made unless a plain record is sealed.
   */
  readonly scopes?: Iterable<string>
  /** Ends the run between two records; it rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** What a rewrap has done. */
export interface ReencryptReport {
  /** Records that were sealed anew. A run after which this is 0 has found nothing left to do. */
  readonly records: number
  /** Contents that were plain and are sealed now. */
  readonly blobs: number
  /** Records that cannot be opened, and were left as they are. */
  readonly unreadable: number
}

interface Run extends EncryptedContext {
  readonly signal: AbortSignal | undefined
  readonly done: { records: number; blobs: number; unreadable: number }
}

/** Seals anew every record that is not under the current key of its scope. */
export async function rewrapRecords(
  context: EncryptedContext,
  { scopes, signal }: ReencryptOptions,
): Promise<ReencryptReport> {
  const run: Run = { ...context, signal, done: { records: 0, blobs: 0, unreadable: 0 } }
  for await (const scope of scopesOf(scopes) ?? allScopes(run)) {
    for (const collection of collectionsOf(scope)) {
      for await (const row of rowsOf(run.records, innerCollection(collection), signal))
        await rewrapRow(run, { collection, id: row.id }, row)
    }
  }
  return run.done
}

/** Every scope that has a ring; while records may be plain, also every vault and the activity log. */
async function* allScopes({ records, plaintext, signal }: Run): AsyncGenerator<string> {
  yield* scopesWithKeys(records)
  if (plaintext === undefined) return
  yield 'vaults'
  yield 'activity'
  for await (const { id } of rowsOf(records, 'vaults', signal)) yield id
}

/** The collections in which the service keeps what belongs to a scope. */
function collectionsOf(scope: string): readonly string[] {
  return [scope, `items/${scope}`, `versions/${scope}`, `pending-blobs/${scope}`]
}

/** Seals the row anew, unless it is under the current key or gone, whoever else writes it at the same time. */
async function rewrapRow(run: Run, key: RecordKey, row: StoredRecord): Promise<void> {
  const scope = scopeOfCollection(key.collection)
  try {
    await sealBlobsOf(run, key, row)
    for (let found: StoredRecord | undefined = row; found !== undefined; ) {
      const ring = await ringFor(run, scope, found)
      if (headerOf(found.body)?.keyId === currentKey(ring).id) return
      const record = await decryptRecord(run, key, found)
      if (!ring.shifted) await markShifted(run, scope)
      if (await reseal(run, key, found.version, record)) {
        run.done.records++
        return
      }
      found = await run.records.get(innerKey(key))
    }
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    run.done.unreadable++
  }
}

/** The scope's ring, which is made only where a plain record needs a key. @throws DecryptionError if there is none. */
async function ringFor(
  { keys, plaintext }: Run,
  scope: string,
  { body }: StoredRecord,
): Promise<LoadedRing> {
  const isFirst = plaintext !== undefined && isPlain(body)
  const ring = await (isFirst ? keys.ensure(scope) : keys.find(scope))
  if (ring === undefined) throw new DecryptionError()
  return ring
}

/** Says, for every process, that stored versions of the scope may be greater than those that were put. */
async function markShifted({ keys }: Run, scope: string): Promise<void> {
  await keys.change(scope, async ({ shifted, keys }) =>
    shifted ? undefined : { shifted: true, keys },
  )
}

/** @throws DecryptionError if the record has the greatest shift: no run of this library has made it. */
async function reseal(
  { records, keys, plaintext }: Run,
  key: RecordKey,
  stored: number,
  { body, label: indexKey, shift, isPlain }: OpenedRecord,
): Promise<boolean> {
  if (shift === maxShift) throw new DecryptionError()
  const scope = scopeOfCollection(key.collection)
  const dataKey = await keys.current(scope, await keys.ensure(scope))
  const text = isPlain ? plaintext?.labelOf(key.collection, body) : undefined
  const kept = indexKey.length === 0 ? undefined : { bytes: indexKey, text: toBase64(indexKey) }
  const anew = text === undefined ? kept : await dataKey.labelOf(key.collection, text)
  const record = encryptRecord(key, stored + 1, dataKey, { body, label: anew, shift: shift + 1 })
  return records.put(innerKey(key), record, stored)
}

/** Seals the contents that a record names, as long as contents may still be plain. */
async function sealBlobsOf(run: Run, key: RecordKey, row: StoredRecord): Promise<void> {
  if (run.plaintext === undefined) return
  const { body } = await decryptRecord(run, key, row)
  for (const id of run.plaintext.blobIdsOf(key.collection, body))
    if (await sealPlainBlob(run, id)) run.done.blobs++
}
