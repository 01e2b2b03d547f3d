/** The program that kills a kind of server, and compares what is left with what was acknowledged. */

import { parseArgs } from 'node:util'
import { listFailures } from '../crash/crash-outcome.js'
import { print, printTable } from '../support/table.js'
import { crashServer, type Run } from './crash-server.js'
import type { ServerKind } from './open-vault.js'

/**
 * Reads the options of the command line, runs the check and the negative control, and prints the
 * findings. Sets the exit code to 1 if anything was lost, or if the control was not caught.
 */
export async function proveCrashes(kind: ServerKind): Promise<void> {
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean', default: false },
      encrypted: { type: 'boolean', default: false },
      cycles: { type: 'string' },
      seed: { type: 'string' },
    },
  })
  const cycles = Number(values.cycles ?? (values.short ? 10 : 200))
  const seed = Number(values.seed ?? Date.now() % 1_000_000)
  const form = values.encrypted ? 'encrypted' : 'plain'

  const result = await check(`${kind.title}, ${form}`, { kind, form, cycles, seed })
  const settings = kind.unsafe
  const [name = ''] = Object.entries(settings).map((entry) => entry.join('='))
  const control = await check(name, { kind, form, cycles: 10, seed, settings })
  printTable([result.row, control.row])
  for (const failure of result.failures) print(failure)
  if (control.failures.length === 0) print('the negative control was not caught')
  if (result.failures.length > 0 || control.failures.length === 0) {
    const options = `${values.encrypted ? '--encrypted ' : ''}--cycles ${cycles} --seed ${seed}`
    print(`again: npm run prove -- ${kind.program} ${options}`)
    process.exitCode = 1
  }
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
