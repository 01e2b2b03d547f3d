/**
 * Shows that a crash of PostgreSQL loses nothing that was acknowledged: the postmaster and all its children are killed
 * with SIGKILL under twelve writers again and again, and after each recovery the vault is compared with what was
 * acknowledged. Writes that were not acknowledged may be there or not. A server that acknowledges before its log is
 * written (`synchronous_commit=off`) must be caught.
 *
 * `npm run proof:crash-postgres -- [--short] [--encrypted] [--cycles 200] [--seed 1]`
 */

import { parseArgs } from 'node:util'
import type { Outcome } from './crash/outcome.js'
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

const proven = await prove(`PostgreSQL, ${form}`, { form, cycles, seed })
const settings = { synchronous_commit: 'off' }
const twin = await prove('synchronous_commit=off', { form, cycles: 10, seed, settings })
printTable([proven.row, twin.row])
for (const complaint of proven.complaints) print(complaint)
if (twin.complaints.length === 0) print('the broken twin was not caught')
if (proven.complaints.length > 0 || twin.complaints.length === 0) {
  const options = `${values.encrypted ? '--encrypted ' : ''}--cycles ${cycles} --seed ${seed}`
  print(`again: npm run proof:crash-postgres -- ${options}`)
  process.exitCode = 1
}

interface Proven {
  readonly row: Readonly<Record<string, string | number>>
  readonly complaints: readonly string[]
}

async function prove(store: string, run: Run): Promise<Proven> {
  const began = performance.now()
  const { kills, acknowledged, there, absent, lost, torn, doubled, swept, orphans } =
    await crashServer(run)
  const row = {
    store,
    kills,
    acknowledged,
    'open: there': there,
    'not there': absent,
    lost: lost.length,
    torn: torn.length,
    doubled: doubled.length,
    swept,
    orphans,
    seconds: Math.round((performance.now() - began) / 1000),
  }
  return { row, complaints: complaintsOf({ lost, torn, doubled, orphans }) }
}

function complaintsOf({
  lost,
  torn,
  doubled,
  orphans,
}: Pick<Outcome, 'lost' | 'torn' | 'doubled' | 'orphans'>): string[] {
  const named = { lost, torn, doubled, orphans: orphans === 0 ? [] : [String(orphans)] }
  return Object.entries(named)
    .filter(([, list]) => list.length > 0)
    .map(([name, list]) => `${name}: ${list.slice(0, 5).join(', ')}`)
}
