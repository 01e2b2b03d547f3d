/**
 * Shows that no acknowledged upload loses its content to garbage collection. Two processes upload,
 * 24 files at a time, to one item and to six. Another process collects garbage again and again with
 * a clock that is 61 minutes ahead, so that it takes every upload for one that has crashed. Writes
 * are paused at random. Then every file is read back. Two negative controls, each without one half
 * of the protocol between an upload and a collection, must be caught.
 *
 * `npm run prove -- uploads [--short] [--stores sqlite,mysql] [--acknowledged 1000]`. The short
 * form ends after 100 acknowledged uploads, and has the negative controls on the first store only.
 */

import { parseArgs } from 'node:util'
import { filterAvailable } from './support/stores.js'
import { print, printTable } from './support/table.js'
import { brokenVariants } from './uploads/broken-variants.js'
import { runUploads, type UploadFindings } from './uploads/run-uploads.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    stores: { type: 'string' },
    acknowledged: { type: 'string' },
  },
})
const aheadMs = 61 * 60_000
const controlUploads = 200
/** Runs of a negative control at most: its losses depend on what else the machine does. */
const maxControlRuns = 5

const rows: Record<string, string | number>[] = []
const failures: string[] = []
const uploads = Number(values.acknowledged ?? (values.short ? 100 : 1000))
const engines = values.stores?.split(',') ?? filterAvailable(['sqlite', 'postgres', 'mysql'])
for (const engine of engines) {
  const findings = await runUploads({ engine, acknowledged: uploads, aheadMs })
  addRow(engine, findings)
  for (const kind of ['lost', 'torn', 'pending'] as const)
    if (findings[kind] > 0) failures.push(`${engine}: ${findings[kind]} ${kind}`)
  if (findings.acknowledged < uploads) failures.push(`${engine}: too few uploads were acknowledged`)
  if (findings.rejected === 0) failures.push(`${engine}: no upload was garbage-collected`)
  if (values.short && engine !== engines[0]) continue
  for (const variant of brokenVariants) {
    let lost = 0
    for (let run = 0; lost === 0 && run < maxControlRuns; run++) {
      const broken = await runUploads({ engine, acknowledged: controlUploads, aheadMs, variant })
      addRow(`${engine}, ${variant}`, broken)
      lost = broken.lost
    }
    if (lost === 0) failures.push(`${engine}, ${variant}: was not caught`)
  }
}
printTable(rows)
for (const failure of failures) print(failure)
if (failures.length > 0) process.exitCode = 1

function addRow(store: string, { rejected, unknown, ...findings }: UploadFindings): void {
  const { attempted, acknowledged, ...rest } = findings
  rows.push({
    store,
    attempted,
    acknowledged,
    'rejected 409': rejected,
    'failed 5xx': unknown,
    ...rest,
  })
}
