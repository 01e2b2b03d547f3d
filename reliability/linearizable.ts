/**
 * Shows that a store's records are linearizable: random histories of several clients, with failures in between, are
 * searched for an order that explains what every client was told. Stores that are broken on purpose must be caught.
 *
 * A violation names the seed of its history: `--histories 1 --seed` with that number asks the same again, in one process
 * in the same order too. The short form runs 20 histories on the memory store and 3 on each other.
 *
 * `npm run proof:linearizable -- [--short] [--stores memory,pglite] [--histories 1000] [--operations 2000] [--seed 1]`
 */

import { parseArgs } from 'node:util'
import { type Extent, checkBrokenStore, checkStore } from './linearizable/check-store.js'
import { brokenStores } from './support/broken-stores.js'
import { availableStores } from './support/stores.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    stores: { type: 'string' },
    histories: { type: 'string' },
    operations: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
  },
})
const usual = ['memory', 'encrypted-memory', 'sqlite', 'encrypted-sqlite', 'postgres']
const stores = values.stores?.split(',') ?? availableStores(usual)
const extentOf = (store: string): Extent => {
  const usualHistories = values.short ? shortHistories(store) : 1000
  const histories = Number(values.histories ?? usualHistories)
  return { histories, operations: Number(values.operations), seed: Number(values.seed) }
}

const rows: Record<string, string | number>[] = []
for (const store of stores) {
  const start = performance.now()
  const { violations, ...findings } = await checkStore(store, extentOf(store))
  const seconds = Math.round((performance.now() - start) / 1000)
  rows.push({ store, ...findings, violations: violations.length, seconds })
  for (const violation of violations) print(violation)
  if (violations.length > 0) process.exitCode = 1
}
printTable(rows)

print('')
const caught = []
for (const [defect, breakRecords] of brokenStores) {
  const { histories, violations } = await checkBrokenStore(breakRecords, {
    ...extentOf('memory'),
    histories: 100,
  })
  const isCaught = violations.length > 0
  if (!isCaught) process.exitCode = 1
  caught.push({ 'a store that': defect, caught: isCaught ? `in history ${histories}` : 'NOT' })
}
printTable(caught)

function shortHistories(store: string): number {
  return store === 'memory' ? 20 : 3
}
