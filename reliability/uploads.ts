/**
 * Shows that no acknowledged upload loses its content to a collect: two processes upload, 24 files at a time, to one item
 * and to several, while another process sweeps again and again by a clock that is 61 minutes ahead, so that it takes
 * every upload for one that has crashed. Writes are paused at random. Then every file is read back. Two brokenVariants, each
 * without one half of what an upload and a collect settle it by, must be caught.
 *
 * `npm run proof:uploads -- [--short] [--stores sqlite,postgres] [--acknowledged 1000]`; the short form takes 200.
 */

import { parseArgs } from 'node:util'
import { availableStores } from './support/stores.js'
import { print, printTable } from './support/table.js'
import { brokenVariants } from './uploads/broken-variants.js'
import { runUploads } from './uploads/run-uploads.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    stores: { type: 'string' },
    acknowledged: { type: 'string' },
  },
})
const ahead = 61 * 60_000
const controlUploads = 200
/** How often a variant is tried, whose losses depend on what else the machine does. */
const maxAttempts = 5

const rows: Record<string, string | number>[] = []
const failures: string[] = []
const least = Number(values.acknowledged ?? (values.short ? 200 : 1000))
for (const engine of values.stores?.split(',') ?? availableStores(['sqlite', 'postgres'])) {
  const found = await runUploads({ engine, acknowledged: least, ahead })
  report(engine, found)
  for (const name of ['lost', 'torn', 'pending'] as const)
    if (found[name] > 0) failures.push(`${engine}: ${found[name]} ${name}`)
  if (found.acknowledged < least) failures.push(`${engine}: too few uploads were acknowledged`)
  if (found.rejected === 0) failures.push(`${engine}: no upload met a collect`)
  for (const variant of brokenVariants) {
    let lost = 0
    for (let attempts = 0; lost === 0 && attempts < maxAttempts; attempts++) {
      const broken = await runUploads({ engine, acknowledged: controlUploads, ahead, variant })
      report(`${engine}, ${variant}`, broken)
      lost = broken.lost
    }
    if (lost === 0) failures.push(`${engine}, ${variant}: was not caught`)
  }
}
printTable(rows)
for (const failure of failures) print(failure)
if (failures.length > 0) process.exitCode = 1

function report(
  store: string,
  { rejected, unknown, ...found }: Awaited<ReturnType<typeof runUploads>>,
): void {
  const { attempted, acknowledged, ...rest } = found
  rows.push({
    store,
    attempted,
    acknowledged,
    'rejected 409': rejected,
    'failed 5xx': unknown,
    ...rest,
  })
}
