/**
 * Shows that a credential is one item, and that no save is lost, when processes save it at the same
 * time: the version of the item is the number of saves. The broken variants must be caught: one
 * ignores the id that was chosen for the item, one the version that was read.
 *
 * `npm run prove -- credentials [--short] [--stores sqlite,etcd] [--processes 3] [--saves 40]`
 */

import { parseArgs } from 'node:util'
import { runSaves } from './credentials/run-saves.js'
import { saveVariants } from './credentials/save-variant.js'
import { filterAvailable, sharedStores } from './support/stores.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    stores: { type: 'string' },
    processes: { type: 'string', default: '3' },
    saves: { type: 'string' },
  },
})
const processes = Number(values.processes)
const fullSaves = 40
const saves = Number(values.saves ?? (values.short ? 10 : fullSaves))

const rows: Record<string, string | number>[] = []
const failures: string[] = []
for (const engine of values.stores?.split(',') ?? filterAvailable(sharedStores)) {
  for (const variant of saveVariants) {
    // A short run of a broken variant can lose nothing by chance.
    const count = variant === 'real' ? saves : Math.max(saves, fullSaves)
    const found = await runSaves({ engine, processes, saves: count, variant })
    const store = variant === 'real' ? engine : `${engine}, ${variant}`
    rows.push({ store, saves: processes * count, ...found })
    const { items, version, lost } = found
    const isGood = items === 1 && version === processes * count && lost === 0
    if (isGood !== (variant === 'real'))
      failures.push(
        `${store}: ${variant === 'real' ? 'is not one item with every save' : 'was not caught'}`,
      )
  }
}
printTable(rows)
for (const failure of failures) print(failure)
if (failures.length > 0) process.exitCode = 1
