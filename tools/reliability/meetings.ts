/**
 * Looks for promises that are broken where parts meet: random programs of every operation, of the
 * maintenance of keys, and of credentials and grants, in three processes on one store, interrupted at
 * any store call, with keys that are denied, records that are damaged and transactions that are
 * rolled back. After each step, `tools/reliability/meetings/check.ts` reads everything in every
 * process and in a new one. `tools/reliability/meetings/PAIRS.md` lists the pairs of parts that meet.
 *
 * A program that breaks a promise is shortened, and printed as a test. Variants of the library that
 * were broken once must be caught.
 *
 * `npm run prove -- meetings [--short] [--seconds 60] [--programs 300] [--stores memory,sqlite]
 * [--seed 1] [--variants all|none|<name>]`. With `--programs`, each store runs at most so many; with
 * a seed, they are the same in every run.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Finding } from './meetings/search.js'
import { applyVariant, variants } from './meetings/variants.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    seconds: { type: 'string' },
    programs: { type: 'string', default: '1000000' },
    stores: { type: 'string', default: 'memory,sqlite' },
    seed: { type: 'string' },
    variants: { type: 'string', default: 'all' },
    /** Given to the processes in which variants run. */
    variant: { type: 'string' },
  },
})
const stores = values.stores.split(',')
const seconds = Number(values.seconds ?? (values.short ? 20 : 600)) / stores.length
const seed = Number(values.seed ?? (values.short ? 1 : Date.now() % 2 ** 31))
/** The number of programs within which a variant must be found. */
const maxRuns = 3000

if (values.variant !== undefined) {
  applyVariant(values.variant)
  // Only now, so that the variant is loaded.
  const { search } = await import('./meetings/search.js')
  const limits = { maxRuns, seconds: 600, seed: 1, isFirstEnough: true }
  const finding = await search({ engine: 'memory', ...limits })
  print(JSON.stringify(finding))
  process.exit()
}

const { formatTest, search } = await import('./meetings/search.js')
const { reached, stepNames } = await import('./meetings/program.js')
const rows = []
for (const engine of stores) {
  const finding = await search({ engine, maxRuns: Number(values.programs), seconds, seed })
  rows.push({ store: engine, programs: finding.programs, seconds: Math.round(finding.seconds) })
  if (finding.broken === undefined) continue
  const { program, reason } = finding.broken
  print(`seed ${seed} breaks a promise:\n\n${formatTest(engine, program, reason)}\n`)
  process.exitCode = 1
}
printTable(rows)
print('')
const notReached = { done: 0, refused: 0, unknown: 0, undone: 0 }
printTable(stepNames.map((step) => ({ step, ...(reached.get(step) ?? notReached) })))
for (const step of stepNames) {
  const { done = 0, refused = 0 } = reached.get(step) ?? {}
  if (done + refused === 0) print(`${step} was not reached`)
}

const chosen = variants.filter(({ name }) =>
  values.variants === 'all' ? true : name === values.variants,
)
if (chosen.length > 0) print('')
const found = []
for (const { name } of chosen) {
  const finding = await findVariant(name)
  if (finding.broken === undefined) {
    print(`the variant '${name}' was not caught`)
    process.exitCode = 1
  }
  const { programs, broken } = finding
  found.push({
    variant: name,
    programs,
    seconds: Math.ceil(finding.seconds),
    reason: broken?.reason ?? '',
  })
}
printTable(found)
// Steps of killed processes wait for ever.
process.exit()

/** Looks for a program that breaks a promise of a variant, in a process that has loaded it. */
async function findVariant(name: string): Promise<Finding> {
  const register = fileURLToPath(new URL('../scripts/register-sources.ts', import.meta.url))
  const own = fileURLToPath(import.meta.url)
  const child = spawn(process.execPath, ['--import', register, own, '--variant', name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (code !== 0) throw new Error(`the process of the variant '${name}' has failed`)
  return JSON.parse(output)
}
