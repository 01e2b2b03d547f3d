/** Answers what a filter lets through of a collection, a page at a time. */

import { createPacer } from '../../pacer.js'
import type { ListedRecord, RecordQuery, VaultStore } from '../../store.js'
import { walkPages } from '../../walk-pages.js'
import type { Filter } from '../filter/filter.js'
import { requiredTitles } from '../filter/filter.js'
import { indexKeyOf } from './item-record.js'

const maxPageSize = 500
/** Bytes that a pacer counts for a step of a merge. */
const bytesOfStep = 16

/** The findings of one walk, ascending by id. */
type Run<Found> = readonly (readonly [id: string, found: Found])[]

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
    limit: filter === undefined ? Math.min(limit, maxPageSize) : maxPageSize,
    ...(after !== undefined && { after }),
  }
  const titles = filter && requiredTitles(filter)
  const labels = titles && new Set([...titles].map(indexKeyOf))
  const walks: Partial<RecordQuery>[] = labels
    ? [...labels].map((indexKey) => ({ ...page, indexKey }))
    : [page]
  let runs: Run<Found>[] = []
  for (const walk of walks) {
    const run: [string, Found][] = []
    for await (const record of scanRecords(context, collection, walk)) {
      const one = await read(record)
      if (one === undefined) continue
      run.push([record.id, one])
      if (run.length === limit) break
    }
    if (run.length > 0) runs.push(run)
    // Of a page no more is held than is answered.
    if (limit !== Number.POSITIVE_INFINITY) runs = [await mergeAll(runs, limit)]
  }
  return (await mergeAll(runs, limit)).map(([, found]) => found)
}

/** The first `limit` of all runs, ascending by id, none twice. */
async function mergeAll<Found>(
  [one, other, ...rest]: readonly Run<Found>[],
  limit: number,
): Promise<Run<Found>> {
  if (one === undefined || other === undefined) return one ?? []
  return mergeAll([...rest, await merge(one, other, limit)], limit)
}

/** Takes one step for each record, and gives the event loop turns in between. */
async function merge<Found>(
  one: Run<Found>,
  other: Run<Found>,
  limit: number,
): Promise<Run<Found>> {
  const pace = createPacer()
  const merged: (readonly [string, Found])[] = []
  for (let [left, right] = [0, 0]; merged.length < limit; ) {
    const first = one[left]
    const second = other[right]
    const next = first && (second === undefined || first[0] < second[0]) ? first : second
    if (next === undefined) break
    merged.push(next)
    if (first?.[0] === next[0]) left++
    if (second?.[0] === next[0]) right++
    const pause = pace(bytesOfStep)
    if (pause) await pause
  }
  return merged
}

/**
 * Ascending by id; only ids after `after`, and only records of that `label`, if they are given. `limit` is how many are
 * asked for at once, 500 if absent. No page is asked for before its first record is.
 * @throws StorageError if the store does not list them ascending.
 */
export function scanRecords(
  context: { readonly store: Pick<VaultStore, 'records'> },
  collection: string,
  page: Partial<RecordQuery> = {},
): AsyncGenerator<ListedRecord> {
  const list = (part: RecordQuery): Promise<readonly ListedRecord[]> =>
    context.store.records.list(collection, part)
  return walkPages(list, { limit: 500, ...page })
}
