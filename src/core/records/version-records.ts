/** The versions of an item that changes have replaced, each a record of its own beside the item's. */

import { StorageError } from '../../errors.js'
import { yieldToEventLoop } from '../../pacer.js'
import type { ItemRef } from '../../schema/ids.js'
import type { ListedRecord, RecordKey } from '../../store.js'
import type { Context } from '../runtime/context.js'
import { encodeRecord, itemKey } from './item-record.js'
import { scanRecords } from './list-records.js'
import { parseItemRecord, type StoredItem } from './load-item.js'

type Place = ItemRef

const pageSize = 32
/** Characters of an item's id. */
const idLength = 26
/** How many versions too many a change removes: one in the long run, more after the option was lowered. */
const maxPrunedPerWrite = 8

/**
 * Keeps the item as it is, then replaces it; resolves as `replace` does. A version is only ever one item, so somebody
 * who lost a race may have kept it already. When the item has been deleted meanwhile, no version of it stays.
 */
export async function withArchivedVersion(
  context: Context,
  before: StoredItem,
  replace: () => Promise<boolean>,
): Promise<boolean> {
  const { item, header, text } = before
  const ref = { vaultId: item.vault.id, itemId: item.id }
  const { records } = context.store
  await records.put(versionKey(ref, item.version), { body: encodeRecord({ header, text }) }, 0)
  const isReplaced = await replace()
  if (isReplaced) await pruneVersions(context, ref, item.version).catch(() => {})
  else if ((await records.get(itemKey(ref))) === undefined) await removeVersions(context, ref)
  return isReplaced
}

/** Removes the oldest versions that are more than are kept, once `version` has been replaced. */
async function pruneVersions(context: Context, ref: Place, version: number): Promise<void> {
  const newest = version - context.history
  if (newest < 1) return
  const { collection, id: end } = versionKey(ref, newest)
  // One record a page: only its id is wanted, and bodies are large.
  const page = { after: `${ref.itemId}.`, limit: maxPrunedPerWrite, maxBytes: 1 }
  for (let count = 0; count < maxPrunedPerWrite; count++) {
    const [oldest] = await context.store.records.list(collection, page)
    if (oldest === undefined || oldest.id > end) return
    await remove(context, collection, oldest)
    if (oldest.id === end) return
  }
}

/** Removes every version of the item. */
export async function removeVersions(context: Context, ref: Place): Promise<void> {
  for await (const record of versionRecords(context, ref))
    await remove(context, versionCollection(ref.vaultId), record)
}

/**
 * Removes the versions of every item that is gone, whichever crash has left them. Nothing is waited for and no clock is
 * asked: an item's id is never used again, and a version is kept only of an item that was read. So an item that is not
 * there now never will be, and no change of it can be acknowledged.
 */
export async function removeOrphanedVersions(context: Context, vaultId: string): Promise<void> {
  const { records } = context.store
  const collection = versionCollection(vaultId)
  let after: string | undefined
  for (;;) {
    const page = { limit: 1, ...(after !== undefined && { after }) }
    const [first] = await records.list(collection, page)
    if (first === undefined) return
    if (after !== undefined && first.id <= after)
      throw new StorageError('the store lists records out of order')
    const itemId = first.id.slice(0, idLength)
    const ref = { vaultId, itemId }
    if ((await records.get(itemKey(ref))) === undefined) await removeVersions(context, ref)
    // A slash sorts right after a dot, so behind all versions of the item; a foreign id may sort further behind.
    const end = `${itemId}/`
    after = first.id > end ? first.id : end
    await yieldToEventLoop()
  }
}

/** Every version that is kept, ascending. @throws StorageError if one is not what a vault wrote. */
export async function* readVersions(context: Context, ref: Place): AsyncGenerator<StoredItem> {
  for await (const { id, body } of versionRecords(context, ref))
    yield parseItemRecord({ version: Number(id.slice(-10)), body }, ref)
}

/** The version if it is kept. @throws StorageError if it is not what a vault wrote. */
export async function readVersion(
  context: Context,
  ref: Place,
  version: number,
): Promise<StoredItem | undefined> {
  const stored = await context.store.records.get(versionKey(ref, version))
  return stored && parseItemRecord({ version, body: stored.body }, ref)
}

async function* versionRecords(
  context: Context,
  { vaultId, itemId }: Place,
): AsyncGenerator<ListedRecord> {
  const start = `${itemId}.`
  const page = { after: start, limit: pageSize }
  for await (const record of scanRecords(context, versionCollection(vaultId), page)) {
    if (!record.id.startsWith(start)) return
    yield record
  }
}

function remove(
  context: Context,
  collection: string,
  { id, version }: ListedRecord,
): Promise<boolean> {
  return context.store.records.delete({ collection, id }, version)
}

function versionKey({ vaultId, itemId }: Place, version: number): RecordKey {
  const padded = String(version).padStart(10, '0')
  return { collection: versionCollection(vaultId), id: `${itemId}.${padded}` }
}

/** The collection of the older versions of a vault's items. */
export function versionCollection(vaultId: string): string {
  return `versions/${vaultId}`
}
