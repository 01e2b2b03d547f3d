/**
 * Updates an item: loads it, changes it and writes it with compare-and-swap. Starts again if a
 * concurrent writer won.
 */

import { itemRecords, toIndexedRecord } from '../../base/stored-records.js'
import type { ItemRef } from '../../schema/ids.js'
import type { Item } from '../../schema/item.js'
import { type Call, makeChange } from '../operation/call.js'
import { itemChange } from '../runtime/change.js'
import type { Context } from '../runtime/context.js'
import { assertVersion } from '../runtime/optimistic-retry.js'
import { isUnreadableError } from '../runtime/report-unreadable.js'
import { assertOutside } from '../runtime/transaction.js'
import { changeItem, type FinishOptions } from './change-item.js'
import {
  type BlobIds,
  formatHeader,
  itemKey,
  type LoadOptions,
  loadItem,
  parseHeader,
  type StoredItem,
} from './item-record.js'
import { checkItemRule } from './item-rule.js'
import { encodeText } from './stored-json.js'
import { parseGeneration, requireVaultRecord } from './vault-record.js'
import { deleteVersions, withArchivedVersion } from './version-records.js'

/** The item to change, and the version that it must have. */
export interface ItemChange extends ItemRef {
  /** The version that the item must have. Default: any. */
  readonly ifVersion?: number | undefined
}

/**
 * Returns a new item, or the given one if there is nothing to change. It has no effects, because it
 * may run more than once, each time with a newer item.
 */
export type ItemUpdate = (item: Item, stored: StoredItem) => Item

/** Options of an update. */
export interface UpdateOptions extends LoadOptions, Omit<FinishOptions, 'caller'> {
  /** The blobs of the files that the update adds, by file id. */
  readonly addedBlobs?: BlobIds
  /**
   * Called instead of `write` when the change is ready to be written. It must call `write` and
   * resolve with its result.
   */
  readonly commit?: (before: StoredItem, write: () => Promise<boolean>) => Promise<boolean>
  /**
   * If true, updates an unreadable item as if it had no content, if its version is `ifVersion`.
   * Default: false.
   */
  readonly replacesUnreadable?: boolean
}

/**
 * Updates an item. With `replacesUnreadable`, nothing of an unreadable item is kept. Its blobs are
 * unknown. Its archived versions are deleted, because some may belong to an earlier item with its
 * id.
 * @returns The new record, or the stored one if there is nothing to change.
 * @throws NotFoundError, PreconditionFailedError, the errors of `update`, or ConflictError if
 * concurrent writers won every attempt.
 */
export function updateItem(
  call: Call,
  ref: ItemChange,
  update: ItemUpdate,
  options: UpdateOptions = {},
): Promise<StoredItem> {
  const { context } = call
  return context.retry(itemKey(ref), 'item', async () => {
    const before = await loadBefore(context, ref, options)
    return attemptUpdate(call, before, update, { ...options, ifVersion: ref.ifVersion })
  })
}

/** Options of one attempt to update an item. */
export interface AttemptOptions
  extends Pick<UpdateOptions, 'draft' | 'explain' | 'addedBlobs' | 'commit'>,
    Pick<ItemChange, 'ifVersion'> {}

/**
 * Changes an item that was already read, and writes it over that version.
 * @returns Undefined if a concurrent writer won.
 */
export async function attemptUpdate(
  call: Call,
  before: StoredItem,
  update: ItemUpdate,
  options: AttemptOptions = {},
): Promise<StoredItem | undefined> {
  const { context, caller } = call
  const { draft, explain, addedBlobs, commit = (_, write) => write() } = options
  /** Makes the change without writing it. */
  const change = (): StoredItem => {
    const after = changeItem(context, before, update, { caller, draft, explain })
    if (after === before) return before
    const { item, text } = after
    const isHeaderSame = item.files === before.item.files && item.state === before.item.state
    const header = isHeaderSame ? before.header : nextHeader(item, before, addedBlobs)
    return { item, header, text }
  }
  const after = change()
  assertVersion(before.item, options.ifVersion)
  if (after === before) return before
  assertNoFiles(context, before.item.files.length)
  if (context.validateItem !== undefined)
    checkItemRule(context, after.text, before.text || undefined, caller)
  const write = (): Promise<boolean> => writeNextVersion(context, before, after)
  const isWritten = await makeChange(call, itemChange('item.updated', after.item), () =>
    commit(before, write),
  )
  if (isWritten && isUnreadable(before)) {
    const ref = { vaultId: before.item.vault.id, itemId: before.item.id }
    await deleteVersions(context, ref, before.item.version).catch(() => {})
  }
  return isWritten ? after : undefined
}

/**
 * Returns the stored item. If it is unreadable and may be replaced, returns one without content.
 */
async function loadBefore(
  context: Context,
  ref: ItemChange,
  options: UpdateOptions,
): Promise<StoredItem> {
  try {
    return await loadItem(context, ref, options)
  } catch (error) {
    const isReplaced = options.replacesUnreadable && isUnreadableError(error, itemKey(ref))
    if (!isReplaced || error.record.version !== ref.ifVersion) throw error
    return replacementFor(context, ref, error.record.version)
  }
}

/**
 * Returns an item without content, to replace an unreadable one. Its `text` is empty. Its id counts
 * as chosen, because it may have been.
 */
export async function replacementFor(
  context: Context,
  { vaultId, itemId }: ItemRef,
  version: number,
): Promise<StoredItem> {
  const generation = parseGeneration(await requireVaultRecord(context, vaultId), vaultId)
  const now = context.now().toISOString()
  const item: Item = {
    id: itemId,
    vault: { id: vaultId },
    category: 'CUSTOM',
    favorite: false,
    version,
    createdAt: now,
    updatedAt: now,
    lastEditedBy: '',
    tags: [],
    urls: [],
    sections: [],
    fields: [],
    files: [],
  }
  const chosenId = { firstVersion: version + 1, generation }
  return { item, header: formatHeader(item, {}, chosenId), text: '' }
}

/**
 * @throws TypeError in a transaction if the item has files, because their contents would not be
 * part of it.
 */
export function assertNoFiles(context: Context, fileCount: number): void {
  if (fileCount > 0) assertOutside(context, 'an item with files cannot be changed or deleted')
}

/** Returns true if the item comes from `replacementFor`. */
export function isUnreadable({ text }: StoredItem): boolean {
  return text === ''
}

/** Returns the header of an item whose files or state have changed. */
function nextHeader(item: Item, before: StoredItem, addedBlobs: BlobIds = {}): string {
  const header = parseHeader(before)
  const { blobs, chosenId } = header
  const kept = Object.entries({ ...blobs, ...addedBlobs }).filter(([fileId]) =>
    item.files.some(({ id }) => id === fileId),
  )
  return formatHeader(item, Object.fromEntries(kept), chosenId, header)
}

/**
 * Writes the next version of an item, and archives the one before it if versions are kept. An
 * unreadable version cannot be archived.
 * @returns False if another version is stored.
 */
export function writeNextVersion(
  context: Context,
  before: StoredItem,
  after: StoredItem,
): Promise<boolean> {
  const put = (): Promise<boolean> => writeItem(context, after)
  const isArchived = context.history > 0 && !isUnreadable(before)
  return isArchived ? withArchivedVersion(context, before, put) : put()
}

/** Writes the item over its previous version. Resolves with false if another version is stored. */
export function writeItem(context: Context, stored: StoredItem): Promise<boolean> {
  const { item, header, text } = stored
  const body = encodeText(`${header}\n${text}`)
  const record = toIndexedRecord(itemRecords, body, item)
  const key = itemKey({ vaultId: item.vault.id, itemId: item.id })
  return context.store.records.put(key, record, item.version - 1)
}
