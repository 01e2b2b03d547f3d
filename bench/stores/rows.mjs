/** What the stores keep in the bench: bytes as large as an item's record. */

import { storedItem, vaultId } from '../sample.mjs'

export const collection = `items/${vaultId}`
export const label = 'Account of the staging cluster'

/** 26 characters, as many different ones as anybody needs. */
export const idOf = (index) => index.toString(36).padStart(26, '0')

const text = JSON.stringify(storedItem(idOf(0), 0))

/** About 2.5 KB; a new array each time, as the core makes one. */
export const body = () => new TextEncoder().encode(text)

/** Runs `task(worker)` in so many loops at once until `count` have been done; resolves with how many a second. */
export async function rate(count, workers, task) {
  let left = count
  const began = process.hrtime.bigint()
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      while (left-- > 0) await task(worker)
    }),
  )
  return (count * 1e9) / Number(process.hrtime.bigint() - began)
}
