/**
 * Shows that a large file goes in and out without being held in memory: it is attached and read back through a vault
 * service, all its bytes are compared by a hash, and the growth of the process is measured: once with garbage collected
 * on the way, which shows what is held, and once as Node collects it. The store in memory, which holds whole files, must
 * be caught.
 *
 * `npm run proof:files -- [--short] [--stores sqlite] [--megabytes 200]`
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
  if ((await prove(name, size)) >= maxLive) failures.push(`${name}: more than 64 MB were held`)
}
if ((await prove('memory', controlSize)) < maxLive) failures.push('memory: was not caught')
printTable(rows)
for (const failure of failures) print(failure)
if (failures.length > 0) process.exitCode = 1

/** How many bytes were held. */
async function prove(name: string, bytes: number): Promise<number> {
  const engine = findEngine(name)
  const ref = await engine.create()
  const { store, close } = await engine.connect(ref.address)
  try {
    // What is loaded and compiled once is not the file's.
    await streamFile(store, 2 * megabyte, 'collected')
    const held = await streamFile(store, bytes, 'collected')
    const all = await streamFile(store, bytes, 'counted')
    if (!held.isWhole || !all.isWhole) failures.push(`${name}: other bytes came back`)
    rows.push({
      store: name,
      'file, MB': Math.round(bytes / megabyte),
      'held, MB': Math.round(held.growth / megabyte),
      'with garbage, MB': Math.round(all.growth / megabyte),
      seconds: Math.round(all.seconds * 10) / 10,
    })
    return held.growth
  } finally {
    await close()
    await ref.remove()
  }
}
