/**
 * Encrypts all records that are not under the current data key of their scope.
 *
 * Each step is one compare-and-swap that leaves the store valid, so a run can be stopped at any
 * point and started again. Versions do not change for the callers of the encrypted store. Before
 * the first record of a scope is re-encrypted, its key ring is flagged for concurrent writers.
 */

import { withMethod } from '../../base/argument.js'
import { toBase64 } from '../../base/base64.js'
import { undecryptableError, unreadableRecordError } from '../../base/fixed-errors.js'
import { defineOptions, type OptionKinds, type OptionValues, optional } from '../../base/options.js'
import { readBlobIds, readIndexKey } from '../../base/read-stored.js'
import {
  collectionsOf,
  innerCollection,
  innerKey,
  listStoreScopes,
  scopeOfCollection,
  vaultRecords,
} from '../../base/stored-records.js'
import { DecryptionError } from '../../errors.js'
import type { RecordKey, StoredRecord } from '../../store.js'
import { encryptPlaintextBlob } from './blobs.js'
import {
  maxReencryptionCount,
  parseHeader,
  type RecordLocation,
} from './envelope/record-envelope.js'
import type { OpenRing } from './keys/key-cache.js'
import { currentKey } from './keys/key-ring.js'
import { listInnerRecords, parseScopes, scopeList } from './list-scopes.js'
import { isPlaintext } from './plaintext-records.js'
import {
  type DecryptedRecord,
  decryptRecord,
  type EncryptedContext,
  encryptRecord,
} from './records.js'

/** Options of `reencrypt`. */
export interface ReencryptOptions {
  /**
   * The scopes to process: the ids of vaults, `vaults` for the vault records, `activity` for an
   * activity log in the store. A scope without keys has nothing to re-encrypt. Keys are created for
   * it only if it has a plaintext record. Default: every scope that has keys and, with
   * `acceptsPlaintext`, all others as well.
   */
  readonly scopes?: Iterable<string> | undefined
  /** Stops the run between two records. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** The definition of {@link ReencryptOptions}. */
export const reencryptOptions = defineOptions({
  scopes: optional(scopeList),
  signal: optional(withMethod('throwIfAborted')),
} satisfies OptionKinds<ReencryptOptions>)

/** The result of `reencrypt`. */
export interface ReencryptReport {
  /** The number of records that were encrypted again. 0 if the run found nothing left to do. */
  readonly records: number
  /** The number of plaintext blobs that were encrypted. */
  readonly blobs: number
  /** The number of records that cannot be decrypted. They are left unchanged. */
  readonly unreadable: number
}

interface ReencryptRun extends EncryptedContext {
  readonly signal: AbortSignal | undefined
  readonly report: { records: number; blobs: number; unreadable: number }
}

/**
 * Encrypts all records of the scopes that are not under the current data key.
 * @throws TypeError if `scopes` is not a list of strings. The reason of `signal` and the errors of
 * the store and the key store are thrown unchanged. Errors of a scope are thrown after the other
 * scopes are processed.
 */
export async function reencryptRecords(
  context: EncryptedContext,
  { scopes, signal }: OptionValues<typeof reencryptOptions.kinds>,
): Promise<ReencryptReport> {
  const run: ReencryptRun = {
    ...context,
    signal,
    report: { records: 0, blobs: 0, unreadable: 0 },
  }
  const errors: unknown[] = []
  for await (const scope of scopes ? parseScopes(scopes) : listScopes(run)) {
    try {
      await reencryptScope(run, scope)
    } catch (error) {
      if (signal?.aborted) throw error
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return run.report
}

async function reencryptScope(run: ReencryptRun, scope: string): Promise<void> {
  for (const collection of collectionsOf(scope)) {
    const rows = listInnerRecords(run.records, innerCollection(collection), run.signal)
    for await (const row of rows) await reencryptRecord(run, { collection, id: row.id }, row)
  }
}

/**
 * Yields every scope with keys. With `acceptsPlaintext`, also every vault, the activity log and the
 * leases. No scope is yielded twice, so that no unreadable record is counted twice.
 */
async function* listScopes({
  records,
  rings,
  acceptsPlaintext,
  signal,
}: ReencryptRun): AsyncGenerator<string> {
  const withKeys = new Set<string>()
  for await (const scope of rings.listScopes()) {
    if (acceptsPlaintext) withKeys.add(scope)
    yield scope
  }
  if (!acceptsPlaintext) return
  for (const scope of listStoreScopes()) if (!withKeys.has(scope)) yield scope
  for await (const { id } of listInnerRecords(records, vaultRecords.collection, signal))
    if (!withKeys.has(id)) yield id
}

/** Re-encrypts a record, unless it is under the current key or was deleted. Retries on conflict. */
async function reencryptRecord(
  run: ReencryptRun,
  key: RecordKey,
  row: StoredRecord,
): Promise<void> {
  const scope = scopeOfCollection(key.collection)
  try {
    await encryptPlaintextBlobs(run, key, row)
    for (let found: StoredRecord | undefined = row; found !== undefined; ) {
      const ring = await loadRing(run, key, found)
      if (parseHeader(found.body)?.keyId === currentKey(ring).id) return
      const record = await decryptRecord(run, key, found)
      if (!ring.hasReencryptions) await flagReencryptions(run, scope)
      if (await writeReencrypted(run, key, found.version, record)) {
        run.report.records++
        return
      }
      found = await run.records.get(innerKey(key))
    }
  } catch (error) {
    // A missing or denied key does not count as damage.
    if (!(error instanceof DecryptionError) || error.record === undefined) throw error
    run.report.unreadable++
  }
}

/**
 * Returns the scope's key ring. It is created only if a plaintext record needs a key.
 * @throws DecryptionError if it does not exist, with `record` if no key could decrypt the record.
 */
async function loadRing(
  { keys, acceptsPlaintext }: ReencryptRun,
  key: RecordKey,
  { body, version }: StoredRecord,
): Promise<OpenRing> {
  const scope = scopeOfCollection(key.collection)
  const needsKey = acceptsPlaintext && isPlaintext(body)
  const ring = await (needsKey ? keys.ensureRing(scope) : keys.findRing(scope))
  if (ring !== undefined) return ring
  throw isPlaintext(body) ? unreadableRecordError({ ...key, version }) : undecryptableError()
}

/** Tells every process that records of the scope may have a re-encryption count above 0. */
async function flagReencryptions({ keys }: ReencryptRun, scope: string): Promise<void> {
  await keys.updateRing(scope, async (ring) =>
    ring.hasReencryptions ? undefined : { content: { ...ring, hasReencryptions: true } },
  )
}

/**
 * @returns true if the record was written, false if a different version is stored.
 * @throws DecryptionError if the record has the maximum re-encryption count, which this library
 * never writes.
 */
async function writeReencrypted(
  { records, keys }: ReencryptRun,
  key: RecordKey,
  storedVersion: number,
  { body, blindIndex: bytes, reencryptionCount, isPlaintext }: DecryptedRecord,
): Promise<boolean> {
  const location = { ...key, version: storedVersion }
  if (reencryptionCount === maxReencryptionCount) throw unreadableRecordError(location)
  const scope = scopeOfCollection(key.collection)
  const currentKey = keys.currentKey(await keys.ensureRing(scope))
  const indexKey = isPlaintext
    ? readPlaintext(location, () => readIndexKey(key.collection, body))
    : undefined
  const existing = bytes.length === 0 ? undefined : { bytes, text: toBase64(bytes) }
  const blindIndex =
    indexKey === undefined ? existing : await currentKey.computeBlindIndex(key.collection, indexKey)
  const content = { body, blindIndex, reencryptionCount: reencryptionCount + 1 }
  const dataKey = await keys.findKey(scope, currentKey.id)
  return records.put(
    innerKey(key),
    encryptRecord(key, storedVersion + 1, dataKey, content),
    storedVersion,
  )
}

/** @throws DecryptionError with `record` if the reader does not accept the body. */
function readPlaintext<Result>(location: RecordLocation, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw error instanceof DecryptionError ? unreadableRecordError(location) : error
  }
}

/** With `acceptsPlaintext`, encrypts the plaintext blobs that a record references. */
async function encryptPlaintextBlobs(
  run: ReencryptRun,
  key: RecordKey,
  row: StoredRecord,
): Promise<void> {
  if (!run.acceptsPlaintext) return
  const { body } = await decryptRecord(run, key, row)
  const location = { ...key, version: row.version }
  const ids = readPlaintext(location, () => readBlobIds(key.collection, body))
  for (const id of ids) if (await encryptPlaintextBlob(run, id)) run.report.blobs++
}
