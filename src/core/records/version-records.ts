/**
 * The archived versions of an item: the versions that changes have replaced, each in its own
 * record.
 */

import { yieldToEventLoop } from '../../base/pacer.js'
import { collectionOf, versionRecords } from '../../base/stored-records.js'
import { StorageError } from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import type { ListedRecord, RecordKey } from '../../store.js'
import type { Call } from '../operation/call.js'
import type { Context } from '../runtime/context.js'
import { skipUnreadable } from '../runtime/report-unreadable.js'
import { itemKey, loadReferences, parseHeader, parseItem, type StoredItem } from './item-record.js'
import { scanRecords } from './list-records.js'
import { encodeText, parseRecord } from './stored-json.js'

const pageSize = 32
const itemIdLength = 26
/**
 * In the long run one per write is enough. There are more to delete after the option `history` was
 * lowered.
 */
const maxPrunedPerWrite = 8

/**
 * Archives the stored version of an item, then calls `replace`, which writes the next one. A
 * concurrent writer that lost may already have archived the same version, with the same content. If
 * the item was deleted in the meantime, its archived versions are deleted, even if there is a new
 * item with its id.
 * @returns The result of `replace`, which is false if it did not write.
 */
export async function withArchivedVersion(
  context: Context,
  before: StoredItem,
  replace: () => Promise<boolean>,
): Promise<boolean> {
  const { item, header, text } = before
  const ref = { vaultId: item.vault.id, itemId: item.id }
  const { records } = context.store
  await records.put(versionKey(ref, item.version), { body: encodeText(`${header}\n${text}`) }, 0)
  const isReplaced = await replace()
  if (isReplaced) {
    await pruneVersions(context, ref, item.version).catch(() => {})
    return true
  }
  const { lastDeleted } = await loadReferences(context, ref)
  if (item.version <= lastDeleted) await deleteVersions(context, ref, lastDeleted)
  return false
}

/** Deletes the oldest versions beyond `history`, at most 8, after `version` was replaced. */
async function pruneVersions(context: Context, ref: ItemRef, version: number): Promise<void> {
  const newestPruned = version - context.history
  if (newestPruned < 1) return
  const { collection, id: lastId } = versionKey(ref, newestPruned)
  // One record per page, because only its id is needed, and bodies are large.
  const query = { after: `${ref.itemId}.`, limit: maxPrunedPerWrite, maxBytes: 1 }
  for (let count = 0; count < maxPrunedPerWrite; count++) {
    const [oldest] = await context.store.records.list(collection, query)
    if (oldest === undefined || oldest.id > lastId) return
    await deleteVersion(context, collection, oldest)
    if (oldest.id === lastId) return
  }
}

/** Deletes the archived versions of an id up to `lastVersion`, oldest first. */
export async function deleteVersions(
  context: Context,
  ref: ItemRef,
  lastVersion: number,
): Promise<void> {
  for await (const record of scanVersionRecords(context, ref)) {
    if (versionOf(record) > lastVersion) return
    await deleteVersion(context, collectionOf(versionRecords, ref.vaultId), record)
  }
}

/**
 * Deletes the archived versions of deleted items of a vault. It needs neither a clock nor a delay.
 * A random id, or a version of a chosen id, is never used again, and a version is archived only
 * after its item was loaded. So an item that does not exist now never will, and no change to it can
 * succeed. The versions of an unreadable item are kept.
 */
export async function deleteOrphanedVersions(call: Call, vaultId: string): Promise<void> {
  const { context } = call
  const { records } = context.store
  const collection = collectionOf(versionRecords, vaultId)
  let after: string | undefined
  for (;;) {
    const query = { limit: 1, ...(after !== undefined && { after }) }
    const [first] = await records.list(collection, query)
    if (first === undefined) return
    if (after !== undefined && first.id <= after)
      throw new StorageError('the store lists records out of order')
    const itemId = first.id.slice(0, itemIdLength)
    const ref = { vaultId, itemId }
    const references = await skipUnreadable(call, itemKey(ref), () => loadReferences(context, ref))
    const lastDeleted = references?.lastDeleted ?? 0
    if (lastDeleted > 0) await deleteVersions(context, ref, lastDeleted)
    // A slash sorts right after a dot, so this skips all versions of the item. An id that this
    // library did not write may sort even later.
    const pastVersions = `${itemId}/`
    after = first.id > pastVersions ? first.id : pastVersions
    await yieldToEventLoop()
  }
}

/**
 * Yields the archived versions of an item in ascending order, without those of earlier items with
 * its id. Unreadable versions are reported and left out.
 */
export async function* readVersions(
  call: Call,
  ref: ItemRef,
  current: StoredItem,
): AsyncGenerator<StoredItem> {
  const firstVersion = firstVersionOf(current)
  for await (const record of scanVersionRecords(call.context, ref)) {
    const version = versionOf(record)
    if (version < firstVersion) continue
    const key = { collection: collectionOf(versionRecords, ref.vaultId), id: record.id }
    const archived = await skipUnreadable(call, key, async () =>
      parseRecord(key, record, (body) => parseItem(body, ref, version)),
    )
    if (archived !== undefined) yield archived
  }
}

/**
 * Returns an archived version of an item, or undefined if it is not archived or belongs to an
 * earlier item with its id.
 * @throws DecryptionError with `record` if it is unreadable.
 */
export async function readVersion(
  context: Context,
  ref: ItemRef,
  current: StoredItem,
  version: number,
): Promise<StoredItem | undefined> {
  if (version < firstVersionOf(current)) return undefined
  const key = versionKey(ref, version)
  const stored = await context.store.records.get(key)
  return stored && parseRecord(key, stored, (body) => parseItem(body, ref, version))
}

async function* scanVersionRecords(
  context: Context,
  { vaultId, itemId }: ItemRef,
): AsyncGenerator<ListedRecord> {
  const prefix = `${itemId}.`
  const query = { after: prefix, limit: pageSize }
  for await (const record of scanRecords(context, collectionOf(versionRecords, vaultId), query)) {
    if (!record.id.startsWith(prefix)) return
    yield record
  }
}

/** Returns the first version of an item: 1, or more if there were earlier items with its id. */
export function firstVersionOf(stored: StoredItem): number {
  return parseHeader(stored).chosenId?.firstVersion ?? 1
}

/** Returns the version that the record archives. */
function versionOf({ id }: ListedRecord): number {
  return Number(id.slice(-10))
}

function deleteVersion(
  context: Context,
  collection: string,
  { id, version }: ListedRecord,
): Promise<boolean> {
  return context.store.records.delete({ collection, id }, version)
}

function versionKey({ vaultId, itemId }: ItemRef, version: number): RecordKey {
  const padded = String(version).padStart(10, '0')
  return { collection: collectionOf(versionRecords, vaultId), id: `${itemId}.${padded}` }
}
