/**
 * Shows that no change is lost when many processes change one item at the same time, and how many
 * attempts a change needs. The negative control, a last-write-wins store, must be caught.
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
    processes: { type: 'string', default: '8' },
    patchers: { type: 'string', default: '64' },
    patches: { type: 'string' },
  },
})
/** Half of the attempts after which a change is rejected. */
const maxP99 = 16

const rows: Record<string, string | number>[] = []
const failures: string[] = []
for (const engine of values.stores?.split(',') ?? filterAvailable(sharedStores)) {
  for (const isBroken of [false, true]) {
    const patches = Number(values.patches ?? (values.short ? 3 : 200))
    const options: ContentionOptions = {
      engine,
      processes: Number(values.processes),
      patchers: Number(values.patchers),
      patches: isBroken ? 1 : patches,
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
