/** Every record of a collection, read page by page. */

import type { ListedRecord, RecordPage, VaultStore } from '../store.js'
import { walkPages } from '../walk-pages.js'

/**
 * Ascending by id; only ids after `after`, and only records of that `label`, if they are given. `limit` is how many are
 * asked for at once, 500 if absent. No page is asked for before its first record is.
 * @throws StorageError if the store does not list them ascending.
 */
export function walkRecords(
  context: { readonly store: Pick<VaultStore, 'records'> },
  collection: string,
  page: Partial<RecordPage> = {},
): AsyncGenerator<ListedRecord> {
  const list = (part: RecordPage): Promise<readonly ListedRecord[]> =>
    context.store.records.list(collection, part)
  return walkPages(list, { limit: 500, ...page })
}
