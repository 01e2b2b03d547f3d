/**
 * Shows that a large file is attached and read without being held in memory. All its bytes are
 * compared by a hash, and the growth of the process is measured: once with garbage collected on the
 * way, which shows the live memory, and once as Node collects it. The negative control, the memory
 * store, which holds whole files, must be caught.
 *
 * `npm run prove -- files [--short] [--stores sqlite] [--megabytes 200]`
 */

import { parseArgs } from 'node:util'
import { streamFile } from './files/stream-file.js'
import { findEngine } from './support/stores.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    stores: { type: 'string', default: 'sqlite' },
    megabytes: { type: 'string' },
  },
})
const megabyte = 1_048_576
const maxLive = 64 * megabyte
const controlSize = 200 * megabyte

const rows: Record<string, string | number>[] = []
const failures: string[] = []
const size = Number(values.megabytes ?? (values.short ? 32 : 200)) * megabyte
for (const name of values.stores.split(',')) {
  if ((await measureLive(name, size)) >= maxLive) failures.push(`${name}: more than 64 MB live`)
}
if ((await measureLive('memory', controlSize)) < maxLive) failures.push('memory: was not caught')
printTable(rows)
for (const failure of failures) print(failure)
if (failures.length > 0) process.exitCode = 1

/** Adds a row for the store, and returns the live bytes. */
async function measureLive(name: string, bytes: number): Promise<number> {
  const engine = findEngine(name)
  const location = await engine.create()
  const { store, close } = await engine.connect(location.address)
  try {
    // The first run loads and compiles code, which does not belong to the file.
    await streamFile(store, 2 * megabyte, 'collected')
    const live = await streamFile(store, bytes, 'collected')
    const all = await streamFile(store, bytes, 'counted')
    if (!live.isIntact || !all.isIntact) failures.push(`${name}: the content has changed`)
    rows.push({
      store: name,
      'file, MB': Math.round(bytes / megabyte),
      'live, MB': Math.round(live.growth / megabyte),
      'with garbage, MB': Math.round(all.growth / megabyte),
      seconds: Math.round(all.seconds * 10) / 10,
    })
    return live.growth
  } finally {
    await close()
    await location.remove()
  }
}
