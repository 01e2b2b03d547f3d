/**
 * Shows that a killed process loses nothing that was acknowledged. Writers in several processes are
 * killed with SIGKILL again and again. After each kill the file is compared with the journal of
 * what they wrote. Unacknowledged writes may be present or not. The negative control, a store that
 * acknowledges before it writes, must be caught.
 *
 * `npm run prove -- crash [--short] [--encrypted] [--cycles 1000] [--writers 4] [--seed 1]
 * [--driver libsql]`. Without `--driver`, all drivers that are installed.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { type CrashOutcome, listFailures } from './crash/crash-outcome.js'
import type { Form } from './crash/open-vault.js'
import { runFile } from './crash/run-file.js'
import { installedDrivers } from './support/sqlite-drivers.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    encrypted: { type: 'boolean', default: false },
    cycles: { type: 'string' },
    writers: { type: 'string', default: '4' },
    seed: { type: 'string' },
    driver: { type: 'string' },
  },
})
const drivers = values.driver === undefined ? installedDrivers : [values.driver]
const form = values.encrypted ? 'encrypted' : 'plain'
const cycles = Number(values.cycles ?? (values.short ? 10 : 1000))
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const cyclesPerFile = 50

const folder = await mkdtemp(join(tmpdir(), 'cofferkit-crash-'))
const program = join(folder, 'writer.mjs')
try {
  await build({
    entryPoints: [fileURLToPath(new URL('./crash/writer-process.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
  })
  const results = []
  for (const driver of drivers) results.push(await runFiles(driver, form, cycles))
  const control = await runFiles('node:sqlite', 'broken', 20)
  const failures = results.flatMap((result) => result.failures)
  printTable([...results, control].map(({ row }) => row))
  for (const failure of failures) print(failure)
  if (control.failures.length === 0) print('the negative control was not caught')
  if (failures.length > 0 || control.failures.length === 0) {
    const options = values.encrypted ? '--encrypted ' : ''
    print(`again: npm run prove -- crash ${options}--cycles ${cycles} --seed ${seed}`)
    process.exitCode = 1
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

interface CheckResult {
  readonly row: Readonly<Record<string, string | number>>
  readonly failures: readonly string[]
}

/** Starts a new file every `cyclesPerFile` cycles. */
async function runFiles(driver: string, form: Form, count: number): Promise<CheckResult> {
  const start = performance.now()
  const outcomes: CrashOutcome[] = []
  for (let done = 0; done < count; done += cyclesPerFile) {
    const file = { path: join(folder, `${form}-${done}.db`), driver, form }
    const part = Math.min(cyclesPerFile, count - done)
    const writers = Number(values.writers)
    outcomes.push(await runFile({ program, ...file, cycles: part, writers, seed: seed + done }))
    await removeFile(file.path)
  }
  const row = {
    store: `${driver}, ${form}`,
    cycles: count,
    ...sumOutcomes(outcomes),
    seconds: Math.round((performance.now() - start) / 1000),
  }
  return { row, failures: outcomes.flatMap(listFailures) }
}

/** libSQL leaves the journals of a file that it closes. */
function removeFile(path: string): Promise<unknown> {
  return Promise.all(['', '-wal', '-shm'].map((end) => rm(`${path}${end}`, { force: true })))
}

function sumOutcomes(outcomes: readonly CrashOutcome[]): Readonly<Record<string, number>> {
  const sum = (count: (outcome: CrashOutcome) => number): number =>
    outcomes.reduce((total, outcome) => total + count(outcome), 0)
  return {
    acknowledged: sum((outcome) => outcome.acknowledged),
    'unknown: present': sum((outcome) => outcome.present),
    'unknown: absent': sum((outcome) => outcome.absent),
    lost: sum((outcome) => outcome.lost.length),
    torn: sum((outcome) => outcome.torn.length),
    duplicated: sum((outcome) => outcome.duplicated.length),
    collected: sum((outcome) => outcome.collected),
    orphans: sum((outcome) => outcome.orphans),
  }
}
