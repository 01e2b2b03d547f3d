/**
 * Shows that no change is lost when many processes change one item at once, and how often a change has to be tried.
 * A store that writes whatever was seen must be caught.
 *
 * `npm run proof:race -- [--short] [--stores sqlite,postgres] [--processes 8] [--patchers 64] [--patches 200]`
 */

import { parseArgs } from 'node:util'
import { runContention, type Race } from './race/run-contention.js'
import { availableStores } from './support/stores.js'
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
const maxAttempts = 8

const rows: Record<string, string | number>[] = []
const failures: string[] = []
for (const engine of values.stores?.split(',') ?? availableStores(['sqlite', 'postgres'])) {
  for (const isBroken of [false, true]) {
    const patches = Number(values.patches ?? (values.short ? 3 : 200))
    const race: Race = {
      engine,
      processes: Number(values.processes),
      patchers: Number(values.patchers),
      patches: isBroken ? 1 : patches,
      isBroken,
    }
    const { lost, p50, p99, most, perSecond, ...stats } = await runContention(race)
    const store = isBroken ? `${engine}, naive` : engine
    rows.push({
      store,
      ...stats,
      lost,
      'attempts p50': p50,
      p99,
      most,
      'a second': perSecond,
    })
    if (isBroken ? lost === 0 : lost > 0)
      failures.push(`${store}: ${isBroken ? 'was not caught' : `${lost} changes are lost`}`)
    if (!isBroken && p99 > maxAttempts)
      failures.push(`${store}: p99 of attempts is ${p99}, more than ${maxAttempts}`)
  }
}
printTable(rows)
for (const failure of failures) print(failure)
if (failures.length > 0) process.exitCode = 1
