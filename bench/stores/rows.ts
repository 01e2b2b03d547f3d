/** The records that the parts on stores use, as large as an item's record. */

import { storedItem, vaultId } from '../sample.js'

export const collection = `items/${vaultId}`
export const indexKey = 'Account of the staging cluster'

/** An id of 26 characters. */
export const createId = (index: number): string => index.toString(36).padStart(26, '0')

const text = JSON.stringify(storedItem(createId(0), 0))

/** About 2.5 KB; a new array each time, as the core creates one. */
export const createBody = (): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** Work of one of several workers. */
export type Task = (worker: number) => unknown

/**
 * Runs the task `count` times, in several loops at the same time. Resolves with the number of runs
 * per second.
 */
export async function measureRate(count: number, workers: number, task: Task): Promise<number> {
  let left = count
  const start = process.hrtime.bigint()
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      while (left-- > 0) await task(worker)
    }),
  )
  return (count * 1e9) / Number(process.hrtime.bigint() - start)
}
