/**
 * Shows that a crash of PostgreSQL loses nothing that was acknowledged: the postmaster and all its children are killed
 * with SIGKILL under twelve writers again and again, and after each recovery the vault is compared with what was
 * acknowledged. Writes that were not acknowledged may be there or not. A server that acknowledges before its log is
 * written (`synchronous_commit=off`) must be caught.
 *
 * `npm run proof:crash-postgres -- [--short] [--encrypted] [--cycles 200] [--seed 1]`
 */

import { parseArgs } from 'node:util'
import type { Outcome } from './crash/crash-outcome.js'
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

const result = await prove(`PostgreSQL, ${form}`, { form, cycles, seed })
const settings = { synchronous_commit: 'off' }
const variant = await prove('synchronous_commit=off', { form, cycles: 10, seed, settings })
printTable([result.row, variant.row])
for (const failure of result.failures) print(failure)
if (variant.failures.length === 0) print('the broken variant was not caught')
if (result.failures.length > 0 || variant.failures.length === 0) {
  const options = `${values.encrypted ? '--encrypted ' : ''}--cycles ${cycles} --seed ${seed}`
  print(`again: npm run proof:crash-postgres -- ${options}`)
  process.exitCode = 1
}

interface CheckResult {
  readonly row: Readonly<Record<string, string | number>>
  readonly failures: readonly string[]
}

async function prove(store: string, run: Run): Promise<CheckResult> {
  const began = performance.now()
  const { kills, acknowledged, there, absent, lost, torn, duplicated, collected, orphans } =
    await crashServer(run)
  const row = {
    store,
    kills,
    acknowledged,
    'open: there': there,
    'not there': absent,
    lost: lost.length,
    torn: torn.length,
    duplicated: duplicated.length,
    collected,
    orphans,
    seconds: Math.round((performance.now() - began) / 1000),
  }
  return { row, failures: listFailures({ lost, torn, duplicated, orphans }) }
}

function listFailures({
  lost,
  torn,
  duplicated,
  orphans,
}: Pick<Outcome, 'lost' | 'torn' | 'duplicated' | 'orphans'>): string[] {
  const named = { lost, torn, duplicated, orphans: orphans === 0 ? [] : [String(orphans)] }
  return Object.entries(named)
    .filter(([, list]) => list.length > 0)
    .map(([name, list]) => `${name}: ${list.slice(0, 5).join(', ')}`)
}
