/** Every record of a collection, read page by page. */

import type { ListedRecord, RecordPage, VaultStore } from '../store.js'

/**
 * Ascending by id; only ids after `after`, and only records of that `label`, if they are given. `limit` is how many are
 * asked for at once, 500 if absent. No page is asked for before its first record is.
 */
export async function* walkRecords(
  context: { readonly store: Pick<VaultStore, 'records'> },
  collection: string,
  { limit = 500, ...rest }: Partial<RecordPage> = {},
): AsyncGenerator<ListedRecord> {
  let last = rest.after
  do {
    const page = { ...rest, limit, ...(last !== undefined && { after: last }) }
    const records = await context.store.records.list(collection, page)
    yield* records
    last = records.length < limit ? undefined : records.at(-1)?.id
  } while (last !== undefined)
}
