/**
 * Shows that a large file goes in and out without being held in memory: it is attached and read back through a vault
 * service, all its bytes are compared by a hash, and the growth of the process is measured: once with garbage collected
 * on the way, which shows what is held, and once as Node collects it. The store in memory, which holds whole files, must
 * be caught.
 *
 * `npm run proof:files -- [--short] [--stores sqlite] [--megabytes 200]`
 */

import { parseArgs } from 'node:util'
import { goThrough } from './files/stream-file.js'
import { engineOf } from './support/stores.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    stores: { type: 'string', default: 'sqlite' },
    megabytes: { type: 'string' },
  },
})
const megabyte = 1_048_576
const mostHeld = 64 * megabyte
const sizeOfTwin = 200 * megabyte

const rows: Record<string, string | number>[] = []
const complaints: string[] = []
const size = Number(values.megabytes ?? (values.short ? 32 : 200)) * megabyte
for (const name of values.stores.split(',')) {
  if ((await prove(name, size)) >= mostHeld) complaints.push(`${name}: more than 64 MB were held`)
}
if ((await prove('memory', sizeOfTwin)) < mostHeld) complaints.push('memory: was not caught')
printTable(rows)
for (const complaint of complaints) print(complaint)
if (complaints.length > 0) process.exitCode = 1

/** How many bytes were held. */
async function prove(name: string, bytes: number): Promise<number> {
  const engine = engineOf(name)
  const ref = await engine.create()
  const { store, close } = await engine.connect(ref.address)
  try {
    // What is loaded and compiled once is not the file's.
    await goThrough(store, 2 * megabyte, 'collected')
    const held = await goThrough(store, bytes, 'collected')
    const all = await goThrough(store, bytes, 'counted')
    if (!held.isWhole || !all.isWhole) complaints.push(`${name}: other bytes came back`)
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
