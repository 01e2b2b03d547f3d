/**
 * Shows that every acknowledged change is delivered, and never too early. Four processes whose
 * clocks are 30 s apart change items and are killed at calls of the store. A consumer is killed,
 * too, and resumes after the last change that it has received. A cache drops what has changed;
 * at the end, none of its entries is stale. Two broken watchers must be caught: one holds nothing
 * back, one resumes at the last change itself.
 *
 * `npm run prove -- changes [--short] [--stores sqlite,postgres] [--changes 10000] [--kills 200]`
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { type ChangesFindings, runChanges } from './changes/run-changes.js'
import { type ChangesVariant, changesVariants } from './changes/variants.js'
import { filterAvailable } from './support/stores.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    stores: { type: 'string' },
    changes: { type: 'string' },
    kills: { type: 'string' },
  },
})
const engines =
  values.stores?.split(',') ?? (values.short ? ['sqlite'] : filterAvailable(['sqlite', 'postgres']))
const changes = Number(values.changes ?? (values.short ? 100 : 10_000))
const kills = Number(values.kills ?? (values.short ? 6 : 200))
const holdMs = values.short ? 3000 : 10_000
/** Runs of a broken variant at most: what it breaks depends on what else the machine does. */
const maxControlRuns = 5

const rows: Record<string, string | number>[] = []
const failures: string[] = []
const folder = await mkdtemp(join(tmpdir(), 'cofferkit-changes-'))
try {
  const programs = { writer: await bundle('writer'), consumer: await bundle('consumer') }
  for (const engine of engines) {
    for (const variant of changesVariants) {
      const control = { changes: 60, kills: 6, holdMs: 2000 }
      const size = variant === 'real' ? { changes, kills, holdMs } : control
      let wasCaught = false
      for (let attempt = 0; attempt < (variant === 'real' ? 1 : maxControlRuns); attempt++) {
        const found = await runChanges({ engine, programs, variant, ...size })
        rows.push({ store: variant === 'real' ? engine : `${engine}, ${variant}`, ...found })
        wasCaught = isWrong(variant, found)
        if (wasCaught) break
      }
      if (wasCaught === (variant === 'real'))
        failures.push(
          `${engine}: ${wasCaught ? 'changes are lost, or' : variant} ${outcome(variant)}`,
        )
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
printTable(rows)
for (const failure of failures) print(failure)
if (failures.length > 0) process.exitCode = 1

function isWrong(variant: ChangesVariant, { lost, stale }: ChangesFindings): boolean {
  if (variant === 'holds nothing back') return stale > 0
  return variant === 'resumes at since' ? lost > 0 : lost > 0 || stale > 0
}

function outcome(variant: ChangesVariant): string {
  return variant === 'real' ? 'the cache is stale' : 'was not caught'
}

async function bundle(name: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`)
  await build({
    entryPoints: [fileURLToPath(new URL(`./changes/${name}-process.ts`, import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    external: ['pg-native'],
    // The modules of `pg` call `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)",
    },
  })
  return outfile
}
