/** Lists the records of a collection that match a filter. */

import { indexKeyOf } from '../../base/index-key.js'
import { createPacer } from '../../base/pacer.js'
import { walkPages } from '../../base/walk-pages.js'
import { isId } from '../../schema/is-id.js'
import type { ListedRecord, RecordQuery, VaultStore } from '../../store.js'
import type { ListPlan } from '../filter/plan-list.js'
import { skipUnreadable, type UnreadableReports } from '../runtime/report-unreadable.js'

const maxPageSize = 500
/** The size in bytes that the pacer assumes for a step of a merge. */
const mergeStepBytes = 16

/** The results of one scan, in ascending order of their ids. */
type SortedResults<Result> = readonly (readonly [id: string, result: Result])[]

/** The page to list. */
interface ListPage<Result> {
  /** The plan. `read` applies its filter. */
  readonly plan: ListPlan<Result>
  /** Only ids after this one. */
  readonly after?: string | undefined
  /** The maximum number of results. Default: unlimited. */
  readonly limit?: number | undefined
}

/**
 * Returns the results of `read` for the records of a collection, without duplicates, sorted by the
 * plan or in ascending order of their ids. `read` returns undefined for a record that is not
 * listed, and must apply the filter itself. If only certain titles can match the filter, only
 * records with the index key of one of them, or with one as their id, are loaded.
 *
 * If `read` throws the error of an unreadable record, the record is reported and left out. But if
 * only certain titles can match, the caller was looking for this record, so the error is thrown.
 * Otherwise the caller would think that it does not exist, and create it again.
 */
export async function listRecords<Result>(
  context: UnreadableReports & { readonly store: Pick<VaultStore, 'records'> },
  collection: string,
  { plan, after, limit = Number.POSITIVE_INFINITY }: ListPage<Result>,
  read: (record: ListedRecord) => Promise<Result | undefined>,
): Promise<readonly Result[]> {
  const { titles, matches, sorter } = plan
  const query = {
    limit:
      matches === undefined && sorter === undefined ? Math.min(limit, maxPageSize) : maxPageSize,
    ...(after !== undefined && { after }),
  }
  const indexKeys = titles && new Set([...titles].map(indexKeyOf))
  const scans = indexKeys
    ? [...indexKeys].map((indexKey) => scanRecords(context, collection, { ...query, indexKey }))
    : [scanRecords(context, collection, query)]
  for (const title of titles ?? [])
    if (isId(title) && title > (after ?? '')) scans.push(getRecord(context, collection, title))
  let lists: SortedResults<Result>[] = []
  for (const scan of scans) {
    const list: [string, Result][] = []
    for await (const record of scan) {
      const key = { collection, id: record.id }
      const result = titles
        ? await read(record)
        : await skipUnreadable(context, key, () => read(record))
      if (result === undefined) continue
      if (sorter !== undefined) {
        sorter.add(result)
        continue
      }
      list.push([record.id, result])
      if (list.length === limit) break
    }
    if (list.length > 0) lists.push(list)
    // If there is a limit, no more results are held in memory than are returned.
    if (limit !== Number.POSITIVE_INFINITY) lists = [await mergeAll(lists, limit)]
  }
  if (sorter !== undefined) return sorter.sort()
  return (await mergeAll(lists, limit)).map(([, result]) => result)
}

/** Yields the record with this id, if it exists. */
async function* getRecord(
  { store }: { readonly store: Pick<VaultStore, 'records'> },
  collection: string,
  id: string,
): AsyncGenerator<ListedRecord> {
  const record = await store.records.get({ collection, id })
  if (record !== undefined) yield { id, ...record }
}

/** Merges lists into one without duplicates, of at most `limit` results. */
async function mergeAll<Result>(
  [left, right, ...rest]: readonly SortedResults<Result>[],
  limit: number,
): Promise<SortedResults<Result>> {
  if (left === undefined || right === undefined) return left ?? []
  return mergeAll([...rest, await merge(left, right, limit)], limit)
}

/** Merges two lists. The event loop gets a turn between stretches of work. */
async function merge<Result>(
  left: SortedResults<Result>,
  right: SortedResults<Result>,
  limit: number,
): Promise<SortedResults<Result>> {
  const pace = createPacer()
  const merged: (readonly [string, Result])[] = []
  for (let [leftIndex, rightIndex] = [0, 0]; merged.length < limit; ) {
    const leftEntry = left[leftIndex]
    const rightEntry = right[rightIndex]
    const isLeftNext = leftEntry && (rightEntry === undefined || leftEntry[0] < rightEntry[0])
    const next = isLeftNext ? leftEntry : rightEntry
    if (next === undefined) break
    merged.push(next)
    if (leftEntry?.[0] === next[0]) leftIndex++
    if (rightEntry?.[0] === next[0]) rightIndex++
    const pause = pace(mergeStepBytes)
    if (pause) await pause
  }
  return merged
}

/**
 * Yields the records of a collection in ascending order of their ids, page by page. The first page
 * is loaded when the first record is requested.
 * @param query - `limit` is the number of records per page. Default: 500.
 * @throws StorageError if the store does not list the records in ascending order.
 */
export function scanRecords(
  context: { readonly store: Pick<VaultStore, 'records'> },
  collection: string,
  query: Partial<RecordQuery> = {},
): AsyncGenerator<ListedRecord> {
  const list = (pageQuery: RecordQuery): Promise<readonly ListedRecord[]> =>
    context.store.records.list(collection, pageQuery)
  return walkPages(list, { limit: maxPageSize, ...query })
}
