/**
 * Shows that a crash loses nothing that was acknowledged: writers in several processes are killed with SIGKILL again
 * and again, and the file is compared with what they had said. Writes that were not acknowledged may be there or not.
 * A store that acknowledges before it writes must be caught.
 *
 * `npm run proof:crash -- [--short] [--encrypted] [--cycles 1000] [--writers 4] [--seed 1]`
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import type { Form } from './crash/open-vault.js'
import type { Outcome } from './crash/crash-outcome.js'
import { runFile } from './crash/run-file.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    encrypted: { type: 'boolean', default: false },
    cycles: { type: 'string' },
    writers: { type: 'string', default: '4' },
    seed: { type: 'string' },
  },
})
const cycles = Number(values.cycles ?? (values.short ? 100 : 1000))
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const cyclesAFile = 50

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
  const result = await runFiles(values.encrypted ? 'encrypted' : 'plain', cycles)
  const variant = await runFiles('broken', 20)
  printTable([result.row, variant.row])
  for (const failure of result.failures) print(failure)
  if (variant.failures.length === 0) print('the broken variant was not caught')
  if (result.failures.length > 0 || variant.failures.length === 0) {
    print(`again: npm run proof:crash -- --cycles ${cycles} --seed ${seed}`)
    process.exitCode = 1
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}

interface CheckResult {
  readonly row: Readonly<Record<string, string | number>>
  readonly failures: readonly string[]
}

/** A new file every so many cycles. */
async function runFiles(form: Form, count: number): Promise<CheckResult> {
  const began = performance.now()
  const outcomes: Outcome[] = []
  for (let done = 0; done < count; done += cyclesAFile) {
    const path = join(folder, `${form}-${done}.db`)
    const part = Math.min(cyclesAFile, count - done)
    const writers = Number(values.writers)
    outcomes.push(await runFile({ program, path, form, cycles: part, writers, seed: seed + done }))
    await rm(path)
  }
  const row = {
    store: `SQLite, ${form}`,
    cycles: count,
    ...summed(outcomes),
    seconds: Math.round((performance.now() - began) / 1000),
  }
  return { row, failures: outcomes.flatMap(listFailures) }
}

function summed(outcomes: readonly Outcome[]): Readonly<Record<string, number>> {
  const sum = (count: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, outcome) => total + count(outcome), 0)
  return {
    acknowledged: sum((outcome) => outcome.acknowledged),
    'open: there': sum((outcome) => outcome.there),
    'not there': sum((outcome) => outcome.absent),
    lost: sum((outcome) => outcome.lost.length),
    torn: sum((outcome) => outcome.torn.length),
    duplicated: sum((outcome) => outcome.duplicated.length),
    collected: sum((outcome) => outcome.collected),
    orphans: sum((outcome) => outcome.orphans),
  }
}

function listFailures({ lost, torn, duplicated, orphans }: Outcome): string[] {
  const named = { lost, torn, duplicated, orphans: orphans === 0 ? [] : [String(orphans)] }
  return Object.entries(named)
    .filter(([, list]) => list.length > 0)
    .map(([name, list]) => `${name}: ${list.slice(0, 5).join(', ')}`)
}
