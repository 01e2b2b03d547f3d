/** Lists a vault in pages, and measures how long the event loop is blocked meanwhile. */

import { vaultId } from '../sample.js'
import type { FilledVault } from './vault.js'

/** The result of listing a vault. */
export interface Listing {
  readonly items: number
  /** Milliseconds of the longest time between two turns of the event loop. */
  readonly longestBlockMs: number
  readonly seconds: number
}

/** The largest page that the service allows. */
const pageSize = 1000

/**
 * Lists all items three times, and resolves with the smallest figures. Other processes of the
 * machine can only make them larger.
 */
export async function measureListing(vault: FilledVault): Promise<Listing> {
  const listings: Listing[] = []
  for (let round = 0; round < 3; round++) listings.push(await listPages(vault))
  return {
    items: Math.min(...listings.map(({ items }) => items)),
    longestBlockMs: Math.min(...listings.map(({ longestBlockMs }) => longestBlockMs)),
    seconds: Math.min(...listings.map(({ seconds }) => seconds)),
  }
}

async function listPages({ service, caller }: FilledVault): Promise<Listing> {
  const start = performance.now()
  let longestBlockMs = 0
  let lastTurn = start
  let isListing = true
  const takeTurn = (): void => {
    const now = performance.now()
    longestBlockMs = Math.max(longestBlockMs, now - lastTurn)
    lastTurn = now
    if (isListing) setImmediate(takeTurn)
  }
  setImmediate(takeTurn)
  let items = 0
  let after: string | undefined
  for (;;) {
    const page = await service.listItems(caller, { vaultId, limit: pageSize, after })
    items += page.length
    after = page.at(-1)?.id
    if (page.length < pageSize) break
  }
  isListing = false
  await new Promise((resolve) => setImmediate(resolve))
  return { items, longestBlockMs, seconds: (performance.now() - start) / 1000 }
}
