/** Many items, items in any state, and a record of the requested pages. */

import { indexKeyOf } from '../../../src/base/index-key.js'
import { itemKey } from '../../../src/core/records/item-record.js'
import type { Item, ItemDraft, ItemState, RecordQuery, VaultStore } from '../../../src/index.js'
import type { TestVault } from '../../../src/testing.js'
import { noteDraft } from '../drafts.js'
import { formatRecord, parseRecord } from '../items/item-records.js'
import { createLookDetector } from '../stores/stores.js'

/** A store with the pages that were requested, without `maxBytes`. */
export interface PageRecordingStore extends VaultStore {
  readonly pages: Omit<RecordQuery, 'maxBytes'>[]
}

/** Records every page that is requested from the store. */
export function recordPages({ records, blobs }: VaultStore): PageRecordingStore {
  const pages: PageRecordingStore['pages'] = []
  const isLook = createLookDetector()
  const list: VaultStore['records']['list'] = (collection, page) => {
    const { maxBytes: _maxBytes, ...rest } = page
    if (!isLook({ method: 'list', collection })) pages.push(rest)
    return records.list(collection, page)
  }
  return { records: { ...records, list }, blobs, pages }
}

/** Creates these notes concurrently in the test vault. */
export function createNotes(
  { service, caller, vaultId }: TestVault,
  notes: readonly Partial<ItemDraft>[],
): Promise<Item[]> {
  const { title: _title, ...emptyItem } = noteDraft(vaultId)
  return Promise.all(
    notes.map((note) => service.createItem(caller, { vaultId, item: { ...emptyItem, ...note } })),
  )
}

/** Sets the state of an item in the store, without the service. */
export async function setState(
  { store, vaultId }: TestVault,
  itemId: string | undefined,
  state: ItemState,
): Promise<void> {
  if (itemId === undefined) throw new Error('the item does not exist')
  const key = itemKey({ vaultId, itemId })
  const stored = await store.records.get(key)
  if (stored === undefined) throw new Error('the item does not exist')
  const { item, blobs } = parseRecord(stored.body)
  const changed = { ...item, state, version: stored.version + 1 }
  const indexKey = item.title === undefined ? {} : { indexKey: indexKeyOf(item.title) }
  await store.records.put(
    key,
    { body: formatRecord({ item: changed, blobs }), ...indexKey },
    stored.version,
  )
}
