/**
 * Shows that no acknowledged upload loses its content to a sweep: two processes upload, 24 files at a time, to one item
 * and to several, while another process sweeps again and again by a clock that is 61 minutes ahead, so that it takes
 * every upload for one that has crashed. Writes are paused at random. Then every file is read back. Two twins, each
 * without one half of what an upload and a sweep settle it by, must be caught.
 *
 * `npm run proof:uploads -- [--short] [--stores sqlite,postgres] [--acknowledged 1000]`; the short form takes 200.
 */

import { parseArgs } from 'node:util'
import { runnable } from './support/stores.js'
import { print, printTable } from './support/table.js'
import { twins } from './uploads/broken-variants.js'
import { holdUploads } from './uploads/run-uploads.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    stores: { type: 'string' },
    acknowledged: { type: 'string' },
  },
})
const ahead = 61 * 60_000
const ofTwin = 200
/** How often a twin is tried, whose losses depend on what else the machine does. */
const mostTries = 5

const rows: Record<string, string | number>[] = []
const complaints: string[] = []
const least = Number(values.acknowledged ?? (values.short ? 200 : 1000))
for (const engine of values.stores?.split(',') ?? runnable(['sqlite', 'postgres'])) {
  const found = await holdUploads({ engine, acknowledged: least, ahead })
  report(engine, found)
  for (const name of ['lost', 'torn', 'pending'] as const)
    if (found[name] > 0) complaints.push(`${engine}: ${found[name]} ${name}`)
  if (found.acknowledged < least) complaints.push(`${engine}: too few uploads were acknowledged`)
  if (found.refused === 0) complaints.push(`${engine}: no upload met a sweep`)
  for (const twin of twins) {
    let lost = 0
    for (let tries = 0; lost === 0 && tries < mostTries; tries++) {
      const broken = await holdUploads({ engine, acknowledged: ofTwin, ahead, twin })
      report(`${engine}, ${twin}`, broken)
      lost = broken.lost
    }
    if (lost === 0) complaints.push(`${engine}, ${twin}: was not caught`)
  }
}
printTable(rows)
for (const complaint of complaints) print(complaint)
if (complaints.length > 0) process.exitCode = 1

function report(
  store: string,
  { refused, unknown, ...found }: Awaited<ReturnType<typeof holdUploads>>,
): void {
  const { attempted, acknowledged, ...rest } = found
  rows.push({
    store,
    attempted,
    acknowledged,
    'refused 409': refused,
    'failed 5xx': unknown,
    ...rest,
  })
}
