/**
 * Shows that no change is lost when many processes change one item at once, and how often a change has to be tried.
 * A store that writes whatever was seen must be caught.
 *
 * `npm run proof:race -- [--short] [--stores sqlite,postgres] [--processes 8] [--patchers 64] [--patches 200]`
 */

import { parseArgs } from 'node:util'
import { holdRace, type Race } from './race/run-contention.js'
import { runnable } from './support/stores.js'
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
const mostTries = 8

const rows: Record<string, string | number>[] = []
const complaints: string[] = []
for (const engine of values.stores?.split(',') ?? runnable(['sqlite', 'postgres'])) {
  for (const isNaive of [false, true]) {
    const patches = Number(values.patches ?? (values.short ? 3 : 200))
    const race: Race = {
      engine,
      processes: Number(values.processes),
      patchers: Number(values.patchers),
      patches: isNaive ? 1 : patches,
      isNaive,
    }
    const { lost, p50, p99, most, perSecond, ...stats } = await holdRace(race)
    const store = isNaive ? `${engine}, naive` : engine
    rows.push({
      store,
      ...stats,
      lost,
      'tries p50': p50,
      p99,
      most,
      'a second': perSecond,
    })
    if (isNaive ? lost === 0 : lost > 0)
      complaints.push(`${store}: ${isNaive ? 'was not caught' : `${lost} changes are lost`}`)
    if (!isNaive && p99 > mostTries)
      complaints.push(`${store}: p99 of tries is ${p99}, more than ${mostTries}`)
  }
}
printTable(rows)
for (const complaint of complaints) print(complaint)
if (complaints.length > 0) process.exitCode = 1
