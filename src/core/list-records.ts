/** Answers what a filter lets through of a collection, a page at a time. */

import type { ListedRecord, RecordPage, VaultStore } from '../store.js'
import { demandedTitles } from './demanded-titles.js'
import type { Filter } from './filter.js'
import { labelOf } from './item-record.js'
import { walkRecords } from './walk-records.js'

const mostAtOnce = 500

/** Which part of a collection is wanted. */
interface ListPage {
  /** All if absent. */
  readonly filter?: Filter | undefined
  /** Only ids after this one. */
  readonly after?: string | undefined
  /** At most so many; all if absent. */
  readonly limit?: number | undefined
}

/**
 * What `read` makes of the records, ascending by id, without those of which it makes undefined; none is answered twice.
 * It is for `read` to hold the filter against what it has read. Where the filter demands titles, only records under the
 * labels of these are asked for.
 */
export async function listRecords<Found>(
  context: { readonly store: Pick<VaultStore, 'records'> },
  collection: string,
  { filter, after, limit = Number.POSITIVE_INFINITY }: ListPage,
  read: (record: ListedRecord) => Promise<Found | undefined>,
): Promise<readonly Found[]> {
  const page = {
    limit: filter === undefined ? Math.min(limit, mostAtOnce) : mostAtOnce,
    ...(after !== undefined && { after }),
  }
  const titles = filter && demandedTitles(filter)
  const labels = titles && new Set([...titles].map(labelOf))
  const walks: Partial<RecordPage>[] = labels
    ? [...labels].map((label) => ({ ...page, label }))
    : [page]
  let found = new Map<string, Found>()
  for (const walk of walks) {
    let left = limit
    for await (const record of walkRecords(context, collection, walk)) {
      const one = await read(record)
      if (one === undefined) continue
      found.set(record.id, one)
      if (--left === 0) break
    }
    const ascending = [...found].sort(([one], [other]) => (one < other ? -1 : 1))
    found = new Map(ascending.slice(0, limit))
  }
  return [...found.values()]
}
