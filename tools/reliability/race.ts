/**
 * Shows that no change is lost when many processes change one item at the same time, and how many
 * attempts a change needs. The negative control, a last-write-wins store, must be caught.
 *
 * The short form has 4 processes with 32 callers, each of which makes 3 changes.
 *
 * `npm run prove -- race [--short] [--stores sqlite,mysql] [--processes 8] [--patchers 64]
 * [--patches 200]`
 */

import { parseArgs } from 'node:util'
import { type ContentionOptions, runContention } from './race/run-contention.js'
import { filterAvailable, sharedStores } from './support/stores.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    stores: { type: 'string' },
    processes: { type: 'string' },
    patchers: { type: 'string' },
    patches: { type: 'string' },
  },
})
const extent = values.short
  ? { processes: 4, patchers: 32, patches: 3 }
  : { processes: 8, patchers: 64, patches: 200 }
/** Half of the attempts after which a change is rejected. */
const maxP99 = 16

const rows: Record<string, string | number>[] = []
const failures: string[] = []
for (const engine of values.stores?.split(',') ?? filterAvailable(sharedStores)) {
  for (const isBroken of [false, true]) {
    const options: ContentionOptions = {
      engine,
      processes: Number(values.processes ?? extent.processes),
      patchers: Number(values.patchers ?? extent.patchers),
      patches: isBroken ? 1 : Number(values.patches ?? extent.patches),
      isBroken,
    }
    const { lost, p50, p99, most, perSecond, ...stats } = await runContention(options)
    const store = isBroken ? `${engine}, last write wins` : engine
    rows.push({
      store,
      ...stats,
      lost,
      'attempts p50': p50,
      p99,
      most,
      'per second': perSecond,
    })
    if (isBroken ? lost === 0 : lost > 0)
      failures.push(`${store}: ${isBroken ? 'was not caught' : `${lost} changes were lost`}`)
    if (!isBroken && p99 > maxP99)
      failures.push(`${store}: p99 of attempts is ${p99}, more than ${maxP99}`)
  }
}
printTable(rows)
for (const failure of failures) print(failure)
if (failures.length > 0) process.exitCode = 1
