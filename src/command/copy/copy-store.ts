/**
 * Makes a store a copy of another one, with ids, versions, history, log and files. Equal parts are
 * left alone, so a run can be stopped at any moment, and the next one does the rest.
 *
 * A store gives a new record the version 1, and one more with each write. So a record is written as
 * often as its version says, with an empty body before the last time if it has no files. That works on
 * every store, and what a run has left unfinished is seen by its version.
 */

import { areBytesEqual } from '../../base/are-bytes-equal.js'
import { gatherBatches, settleAll } from '../../base/batches.js'
import { releaseContent } from '../../base/blob-content.js'
import { readBlobIds } from '../../base/read-stored.js'
import {
  collectionOf,
  copyRecords,
  itemRecords,
  pendingBlobRecords,
  scopeOfCollection,
} from '../../base/stored-records.js'
import { walkPages } from '../../base/walk-pages.js'
import {
  DecryptionError,
  type ListedRecord,
  type RecordKey,
  StorageError,
  type VaultStore,
} from '../../index.js'
import {
  type CollectionPair,
  isEmpty,
  keptBlobs,
  listCollections,
  listPairs,
  type RecordPair,
  readRecord,
  type StorePair,
} from './collections.js'

/** The result of a run. */
export interface CopyReport {
  /** The number of records that were written or deleted. */
  records: number
  /** The number of files whose contents were written. */
  files: number
  /** The damaged parts that were left out: `collection/id` for a record, or the id of a content. */
  readonly skipped: Set<string>
}

/** Options of {@link copyStore}. */
export interface CopyOptions {
  /** If true, damaged parts are left out. Otherwise the run ends with the error. */
  readonly skipsUnreadable: boolean
  /** Called after each batch. */
  onProgress(report: CopyReport): void
}

interface CopyRun extends CopyOptions {
  readonly report: CopyReport
}

/** An error of the user: the second store is not one that a copy may change. */
export class CopyTargetError extends Error {}

/** The record of an unfinished copy. */
const marker: RecordKey = { collection: copyRecords.collection, id: 'unfinished' }
const noBytes = new Uint8Array(0)
const encoder = new TextEncoder()
/** The body of a record until it has its version: lines of JSON, like those of every record. */
const placeholder = { body: encoder.encode('{}\n{}') }

const batchSize = 16

/**
 * Begins or continues a copy.
 * @throws CopyTargetError if the second store has data, and no copy was begun there.
 */
export async function beginCopy(pair: Pick<StorePair, 'to' | 'rings'>): Promise<void> {
  const { to } = pair
  if ((await to.records.get(marker)) !== undefined) return
  if (!(await isEmpty(pair))) throw new CopyTargetError('has data that is no unfinished copy')
  await to.records.put(marker, placeholder, 0)
}

/** Ends a copy. From then on, no other copy changes the second store. */
export async function endCopy({ to }: Pick<StorePair, 'to'>): Promise<void> {
  const stored = await to.records.get(marker)
  if (stored !== undefined) await to.records.delete(marker, stored.version)
}

/**
 * Copies everything that differs.
 * @throws CopyTargetError if another process writes to the second store.
 * @throws DecryptionError if a record or a file is damaged, unless it is left out, and the errors
 * of the stores.
 */
export async function copyStore(pair: StorePair, options: CopyOptions): Promise<CopyReport> {
  const run: CopyRun = { ...options, report: { records: 0, files: 0, skipped: new Set() } }
  for await (const own of listCollections(pair)) {
    if (own.kind === itemRecords) await deleteLeftovers(own)
    const differing = filterDiffering(listPairs(own))
    for await (const batch of gatherBatches(differing, batchSize)) {
      await settleAll(batch.map((record) => copyRecord(run, record)))
      options.onProgress(run.report)
    }
  }
  return run.report
}

/** Returns true if a record is the same in both stores. */
export function isEqual({ source, target }: Pick<RecordPair, 'source' | 'target'>): boolean {
  if (source === undefined || target === undefined) return source === target
  if (source.unreadable !== undefined || target.unreadable !== undefined) return false
  return source.version === target.version && areBytesEqual(source.body, target.body)
}

async function* filterDiffering(pairs: AsyncIterable<RecordPair>): AsyncGenerator<RecordPair> {
  for await (const pair of pairs) if (!isEqual(pair)) yield pair
}

async function copyRecord(run: CopyRun, pair: RecordPair): Promise<void> {
  const { collection, id, from, to, target } = pair
  const key = { collection, id }
  const pending: PendingBlobs = { key: pendingKey(pair), version: 0, blobIds: new Set() }
  // A record that is only in the second store may have been created since its page was listed.
  let source = pair.source ?? (await readOne(from, key))
  for (;;) {
    const record = source && readUnlessDamaged(run, pair, source)
    if (source !== undefined && record === undefined) return
    const blobIds = record?.blobIds ?? []
    const missing = await copyBlobs(run, pair, blobIds, pending)
    // A file is deleted after its item no longer refers to it, so the item has another version then.
    const now: ListedRecord | undefined = missing.length > 0 ? await readOne(from, key) : source
    if (now?.version !== source?.version) {
      source = now
      continue
    }
    for (const blobId of missing) skip(run, blobId, missingContentError(blobId))
    const unused = [...readKeptBlobs(pair, target), ...pending.blobIds]
    for (const blobId of unused) if (!blobIds.includes(blobId)) await to.blobs.delete(blobId)
    const { indexKey } = record ?? {}
    const hasBlobs = blobIds.length > 0
    await writeVersion(to, key, source && { ...source, indexKey, hasBlobs }, target)
    if (pending.version > 0) await to.records.delete(pending.key, pending.version)
    run.report.records++
    return
  }
}

async function readOne(
  { records }: VaultStore,
  { collection, id }: RecordKey,
): Promise<ListedRecord | undefined> {
  try {
    const stored = await records.get({ collection, id })
    return stored && { id, ...stored }
  } catch (error) {
    if (!(error instanceof DecryptionError) || error.record === undefined) throw error
    return { id, version: error.record.version, body: noBytes, unreadable: error }
  }
}

/** Returns undefined for a damaged record, which is left out. */
function readUnlessDamaged(
  run: CopyRun,
  own: CollectionPair,
  source: ListedRecord,
): ReturnType<typeof readRecord> | undefined {
  try {
    return readRecord(own, source)
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    skip(run, `${own.collection}/${source.id}`, error)
    return undefined
  }
}
/** @throws The error, unless what is damaged is left out. */
function skip({ skipsUnreadable, report }: CopyRun, name: string, error: StorageError): void {
  if (!skipsUnreadable) throw error
  report.skipped.add(name)
}

function missingContentError(id: string): StorageError {
  return new StorageError(`the content ${id} of a file is missing`)
}

function damagedContentError(id: string): StorageError {
  return new StorageError(`the content ${id} of a file is damaged`)
}

/** A record to write. */
interface CopiedRecord extends ListedRecord {
  readonly indexKey: string | undefined
  /** True if it refers to contents. Otherwise, its versions before the last one can be empty. */
  readonly hasBlobs: boolean
}

/** Writes a record with its version, or deletes it if it is undefined. */
async function writeVersion(
  { records }: VaultStore,
  key: RecordKey,
  record: CopiedRecord | undefined,
  target: ListedRecord | undefined,
): Promise<void> {
  const { version = 0, body = noBytes, indexKey, hasBlobs = false } = record ?? {}
  const input = { body, ...(indexKey !== undefined && { indexKey }) }
  // A run that ends in between must not leave contents to which no record refers.
  const early = hasBlobs ? input : placeholder
  let stored = target?.version ?? 0
  if (stored > 0 && stored >= version) {
    if (!(await records.delete(key, stored))) throw changedError()
    stored = 0
  }
  for (; stored < version; stored++)
    if (!(await records.put(key, stored + 1 === version ? input : early, stored)))
      throw changedError()
}

function changedError(): CopyTargetError {
  return new CopyTargetError('was changed by another process')
}

/** The record that names the contents that are about to be written, as an upload has one. */
function pendingKey({ collection, id }: RecordPair): RecordKey {
  return { collection: collectionOf(pendingBlobRecords, scopeOfCollection(collection)), id }
}

/** The pending-blob record of an item in the second store. */
interface PendingBlobs {
  readonly key: RecordKey
  /** 0 until it is written. */
  version: number
  /** The contents that were written, or may have been. */
  readonly blobIds: Set<string>
}

/**
 * Copies the contents to which only the record of the first store refers. Before that, a
 * pending-blob record names them, so that what a run leaves unfinished is found by the next one, and
 * by `gc`.
 * @returns The ids that the first store does not have.
 */
async function copyBlobs(
  run: CopyRun,
  pair: RecordPair,
  blobIds: readonly string[],
  pending: PendingBlobs,
): Promise<readonly string[]> {
  const { id, from, to, target } = pair
  const present = readKeptBlobs(pair, target)
  const added = blobIds.filter(
    (blobId) => !present.includes(blobId) && !pending.blobIds.has(blobId),
  )
  if (added.length === 0) return []
  for (const blobId of added) pending.blobIds.add(blobId)
  const stored = { itemId: id, blobIds: [...pending.blobIds], since: new Date().toISOString() }
  const body = encoder.encode(JSON.stringify(stored))
  if (!(await to.records.put(pending.key, { body }, pending.version++))) throw changedError()
  const missing: string[] = []
  for (const blobId of added) {
    try {
      if (await copyBlob(from, to, blobId)) run.report.files++
      else missing.push(blobId)
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error
      skip(run, blobId, damagedContentError(blobId))
    }
  }
  return missing
}

/** @returns false if the first store does not have the content. */
async function copyBlob(from: VaultStore, to: VaultStore, id: string): Promise<boolean> {
  const content = await from.blobs.read(id)
  if (content === undefined) return false
  try {
    // A content is written as a whole, and never changed.
    const existing = await to.blobs.read(id)
    releaseContent(existing)
    if (existing === undefined) await to.blobs.write(id, content)
  } finally {
    releaseContent(content)
  }
  return true
}

/** Returns the contents that exist as long as the record does; none if it is damaged. */
export function readKeptBlobs(
  own: CollectionPair,
  record: ListedRecord | undefined,
): readonly string[] {
  try {
    return record === undefined ? [] : keptBlobs(own, record.body)
  } catch {
    return []
  }
}

/** Deletes the contents that a run has written for the items of a vault, and whose records it has not. */
async function deleteLeftovers(items: CollectionPair): Promise<void> {
  const { to } = items
  const vaultId = scopeOfCollection(items.collection)
  const collection = collectionOf(pendingBlobRecords, vaultId)
  const list = walkPages((page) => to.records.list(collection, page), { limit: 100 })
  for await (const { id, version, body } of list) {
    const item = await readOne(to, { collection: items.collection, id })
    const kept = readKeptBlobs(items, item)
    for (const blobId of readPendingBlobs(collection, body))
      if (blobId.startsWith(`${vaultId}/`) && !kept.includes(blobId)) await to.blobs.delete(blobId)
    await to.records.delete({ collection, id }, version)
  }
}

/** Returns the contents that a pending-blob record names; none if it is damaged. */
function readPendingBlobs(collection: string, body: Uint8Array): readonly string[] {
  try {
    return readBlobIds(collection, body)
  } catch {
    return []
  }
}
