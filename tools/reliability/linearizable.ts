/**
 * Shows that the records of a store are linearizable. Several clients, in four processes if the
 * store can be shared, make random calls, some of which fail. An order must exist that explains every response. Stores that are broken on purpose
 * must be caught.
 *
 * A violation contains the seed of its history. `--histories 1 --seed` with that number repeats the
 * same calls; with a store in one process also in the same order. The short form runs 20 histories
 * on the memory store and one on each other store.
 *
 * `npm run prove -- linearizable [--short] [--stores memory,pglite] [--histories 1000]
 * [--operations 2000] [--seed 1]`
 */

import { parseArgs } from 'node:util'
import {
  checkBrokenStore,
  checkProcessLock,
  checkStore,
  type Extent,
  type Findings,
} from './linearizable/check-store.js'
import { brokenStores } from './support/broken-stores.js'
import { filterAvailable, sharedStores } from './support/stores.js'
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
const defaultStores = ['memory', 'encrypted-memory', ...sharedStores, 'encrypted-sqlite']
const stores = values.stores?.split(',') ?? filterAvailable(defaultStores)

const rows: Record<string, string | number>[] = []
for (const store of stores) {
  const start = performance.now()
  const { violations, ...findings } = await checkStore(store, extentFor(store))
  const seconds = Math.round((performance.now() - start) / 1000)
  rows.push({ store, ...findings, violations: violations.length, seconds })
  for (const violation of violations) print(violation)
  if (violations.length > 0) process.exitCode = 1
}
printTable(rows)

print('')
const controls: Record<string, string>[] = []
const extent = { ...extentFor('memory'), histories: 100 }
for (const [defect, breakRecords] of brokenStores)
  addControl(defect, await checkBrokenStore(breakRecords, extent))
addControl('has a lock for each process', await checkProcessLock(extent))
printTable(controls)

function addControl(defect: string, { histories, violations }: Findings): void {
  const isCaught = violations.length > 0
  if (!isCaught) process.exitCode = 1
  controls.push({ 'a store that': defect, caught: isCaught ? `in history ${histories}` : 'NOT' })
}

function extentFor(store: string): Extent {
  const shortHistories = store === 'memory' ? 20 : 1
  const histories = Number(values.histories ?? (values.short ? shortHistories : 1000))
  return { histories, operations: Number(values.operations), seed: Number(values.seed) }
}
