/** What lists are tested with: many items, any state of one, and which pages a store is asked for. */

import { itemKey } from '../../../src/core/records/item-record.js'
import type { Item, ItemDraft, ItemState, RecordQuery, VaultStore } from '../../../src/index.js'
import { noteDraft, type TestVault } from '../../../src/testing.js'
import { recordIn, recordOf } from '../items/item-records.js'

/** The store, and every page of records that was asked of it, without the bound by bytes. */
export interface PageWatch extends VaultStore {
  readonly pages: Omit<RecordQuery, 'maxBytes'>[]
}

/** The store, every page asked of which is written down. */
export function watchPages({ records, blobs }: VaultStore): PageWatch {
  const pages: PageWatch['pages'] = []
  const list: VaultStore['records']['list'] = (collection, page) => {
    const { maxBytes: _maxBytes, ...rest } = page
    pages.push(rest)
    return records.list(collection, page)
  }
  return { records: { ...records, list }, blobs, pages }
}

/** Creates a note for each of these in the test vault, all at once. */
export function createNotes(
  { service, caller, vaultId }: TestVault,
  notes: readonly Partial<ItemDraft>[],
): Promise<Item[]> {
  const { title: _title, ...emptyItem } = noteDraft(vaultId)
  return Promise.all(
    notes.map((note) => service.createItem(caller, { vaultId, item: { ...emptyItem, ...note } })),
  )
}

/** Gives an item of the test vault a state, past its service. */
export async function setState(
  { store, vaultId }: TestVault,
  itemId: string | undefined,
  state: ItemState,
): Promise<void> {
  if (itemId === undefined) throw new Error('there is no such item')
  const key = itemKey({ vaultId, itemId })
  const stored = await store.records.get(key)
  if (stored === undefined) throw new Error('there is no such item')
  const { item, blobs } = recordIn(stored.body)
  const marked = { ...item, state, version: stored.version + 1 }
  const indexKey = item.title === undefined ? {} : { indexKey: item.title }
  await store.records.put(
    key,
    { body: recordOf({ item: marked, blobs }), ...indexKey },
    stored.version,
  )
}
