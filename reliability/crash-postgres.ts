/**
 * Shows that a crash of PostgreSQL loses nothing that was acknowledged. The postmaster and all its
 * children are killed with SIGKILL under twelve writers again and again. After each recovery the
 * vault is compared with the journal of what was written. Unacknowledged writes may be present or
 * not. The negative control, a server that acknowledges before its log is written
 * (`synchronous_commit=off`), must be caught.
 *
 * `npm run prove -- crash-postgres [--short] [--encrypted] [--cycles 200] [--seed 1]`
 */

import { parseArgs } from 'node:util'
import { listFailures } from './crash/crash-outcome.js'
import { crashServer, type Run } from './crash-postgres/crash-server.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    encrypted: { type: 'boolean', default: false },
    cycles: { type: 'string' },
    seed: { type: 'string' },
  },
})
const cycles = Number(values.cycles ?? (values.short ? 20 : 200))
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const form = values.encrypted ? 'encrypted' : 'plain'

const result = await check(`PostgreSQL, ${form}`, { form, cycles, seed })
const settings = { synchronous_commit: 'off' }
const control = await check('synchronous_commit=off', { form, cycles: 10, seed, settings })
printTable([result.row, control.row])
for (const failure of result.failures) print(failure)
if (control.failures.length === 0) print('the negative control was not caught')
if (result.failures.length > 0 || control.failures.length === 0) {
  const options = `${values.encrypted ? '--encrypted ' : ''}--cycles ${cycles} --seed ${seed}`
  print(`again: npm run prove -- crash-postgres ${options}`)
  process.exitCode = 1
}

interface CheckResult {
  readonly row: Readonly<Record<string, string | number>>
  readonly failures: readonly string[]
}

async function check(store: string, run: Run): Promise<CheckResult> {
  const start = performance.now()
  const outcome = await crashServer(run)
  const row = {
    store,
    kills: outcome.kills,
    acknowledged: outcome.acknowledged,
    'unknown: present': outcome.present,
    'unknown: absent': outcome.absent,
    lost: outcome.lost.length,
    torn: outcome.torn.length,
    duplicated: outcome.duplicated.length,
    collected: outcome.collected,
    orphans: outcome.orphans,
    seconds: Math.round((performance.now() - start) / 1000),
  }
  return { row, failures: listFailures(outcome) }
}
