/** Sorts the results of a list. */

import { createPacer } from '../../base/pacer.js'
import type { AttributeValue } from './expression.js'

/** Collects the results of one list and sorts them. */
export interface ListSorter<Result> {
  /** Adds a result, unless one with the same id has been added already. */
  add(result: Result): void
  /** Returns the sorted results, at most `limit` of the query. */
  sort(): Promise<readonly Result[]>
}

/** The length of a sorted run. It is more than the largest `limit` of a list. */
const runLength = 1024
/** The size in bytes that the pacer assumes for a step of a merge, besides the compared strings. */
const mergeStepBytes = 32

type Key = AttributeValue | undefined

interface Entry<Result> {
  readonly key: Key
  readonly result: Result
}

/**
 * Creates the sorter of one list. Results with equal keys are in ascending order of their ids.
 * Results without a key come last in ascending order, and first in descending order (RFC 7644,
 * section 3.4.2.3). Strings are ordered by their UTF-16 code units.
 * @param readKey - Returns the key of a result, or undefined if it has none.
 * @param limit - The number of results to return, at most 1,000. No more are held in memory. By
 * default all are returned.
 */
export function createSorter<Result extends { readonly id: string }>(
  readKey: (result: Result) => Key,
  isDescending: boolean,
  limit: number | undefined,
): ListSorter<Result> {
  const ids = new Set<string>()
  const runs: Entry<Result>[][] = []
  let run: Entry<Result>[] = []
  const isBefore = (left: Entry<Result>, right: Entry<Result>): boolean => {
    const order = compareKeys(left.key, right.key)
    if (order === 0) return left.result.id < right.result.id
    return isDescending ? order > 0 : order < 0
  }
  return {
    add(result) {
      if (ids.has(result.id)) return
      const entry = { key: readKey(result), result }
      const index = findIndex(run, entry, isBefore)
      if (index === limit) return
      run.splice(index, 0, entry)
      ids.add(result.id)
      if (limit !== undefined) {
        for (const { result: last } of run.splice(limit)) ids.delete(last.id)
      } else if (run.length === runLength) {
        runs.push(run)
        run = []
      }
    },
    async sort() {
      const sorted = await mergeAll([...runs, run], isBefore)
      return sorted.map(({ result }) => result)
    },
  }
}

function compareKeys(left: Key, right: Key): number {
  if (left === right) return 0
  if (left === undefined) return 1
  return right === undefined || left < right ? -1 : 1
}

/** Returns the index in a sorted run at which the entry is inserted. */
function findIndex<Element>(
  run: readonly Element[],
  element: Element,
  isBefore: (left: Element, right: Element) => boolean,
): number {
  let low = 0
  for (let high = run.length; low < high; ) {
    const middle = (low + high) >> 1
    if (isBefore(run[middle] as Element, element)) low = middle + 1
    else high = middle
  }
  return low
}

/** Merges sorted runs into one. */
async function mergeAll<Result>(
  runs: readonly (readonly Entry<Result>[])[],
  isBefore: (left: Entry<Result>, right: Entry<Result>) => boolean,
): Promise<readonly Entry<Result>[]> {
  const [left = [], right, ...rest] = runs
  if (right === undefined) return left
  return mergeAll([...rest, await merge(left, right, isBefore)], isBefore)
}

/** Merges two runs. The event loop gets a turn between stretches of work. */
async function merge<Result>(
  left: readonly Entry<Result>[],
  right: readonly Entry<Result>[],
  isBefore: (left: Entry<Result>, right: Entry<Result>) => boolean,
): Promise<readonly Entry<Result>[]> {
  const pace = createPacer()
  const merged: Entry<Result>[] = []
  for (let [leftIndex, rightIndex] = [0, 0]; ; ) {
    const leftEntry = left[leftIndex]
    const rightEntry = right[rightIndex]
    if (leftEntry === undefined || rightEntry === undefined) {
      return merged.concat(left.slice(leftIndex), right.slice(rightIndex))
    }
    const isLeftNext = isBefore(leftEntry, rightEntry)
    merged.push(isLeftNext ? leftEntry : rightEntry)
    if (isLeftNext) leftIndex++
    else rightIndex++
    const pause = pace(mergeStepBytes + String(leftEntry.key).length)
    if (pause) await pause
  }
}
