/** Part 9: finding an item by its title in a vault of a thousand items and of many, in SQLite. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { draft, vaultId } from './sample.mjs'
import { fixed, median, printTable, verdict } from './table.mjs'

const goal = 2.2
const samples = { label: 2000, walk: 10 }

export async function benchFilter({ builds: [{ url }], rounds = 5, items = 100_000 }) {
  const sizes = [1000, items]
  const core = await import(`${url}/index.js`)
  const { createSqliteStore } = await import(`${url}/sqlite.js`)
  const { createEncryptedStore, createLocalKeyProvider } = await import(`${url}/encrypted.js`)
  const keys = createLocalKeyProvider({ key: crypto.getRandomValues(new Uint8Array(32)) })
  const kinds = {
    plain: (store) => store,
    encrypted: (store) => createEncryptedStore(store, { keys }),
  }
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-bench-'))
  const databases = []
  try {
    for (const [kind, sealed] of Object.entries(kinds)) {
      const vaults = []
      for (const size of sizes) {
        const database = new DatabaseSync(join(folder, `${kind}-${size}.db`))
        databases.push(database)
        const store = createSqliteStore(database)
        await fill(core, database, (records) => sealed({ ...store, records }), store, size)
        vaults.push({ size, ...serviceOn(core, sealed(store)) })
      }
      const times = vaults.map(() => ({ label: [], walk: [] }))
      for (let round = -1; round < rounds; round++) {
        for (const [index, vault] of vaults.entries()) {
          for (const way of index === 0 ? ['label', 'walk'] : ['label']) {
            const found = await p50(vault, way)
            if (round >= 0) times[index][way].push(found)
          }
        }
      }
      report(kind, sizes, times)
    }
  } finally {
    for (const database of databases) database.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function serviceOn({ createVaultService, createCaller }, store, options) {
  return { service: createVaultService({ store, ...options }), caller: createCaller('bench', '*') }
}

/**
 * Real items, created by the service, of four fields. Only the writes go past the store, into large transactions:
 * through it each would be synced. Ids ascend, so that the file is filled from one end.
 */
async function fill(core, database, storeOn, { records }, size) {
  const insert = database.prepare(
    'insert into cofferkit_records (collection, id, version, index_key, body) values (?, ?, 1, ?, ?)',
  )
  let count = 0
  const randomBytes = (length) => {
    const bytes = new Uint8Array(length)
    new DataView(bytes.buffer).setUint32(length - 4, count++)
    return bytes
  }
  const put = async ({ collection, id }, { body, label = null }) => {
    insert.run(collection, id, label, body)
    return true
  }
  const { service, caller } = serviceOn(core, storeOn({ ...records, put }), { randomBytes })
  database.exec('begin')
  await service.createVault(caller, { vaultId, name: 'Bench' })
  for (let index = 0; index < size; index++) {
    const { fields, ...rest } = draft(index)
    await service.createItem(caller, { vaultId, item: { ...rest, fields: fields.slice(0, 4) } })
    if (index % 50_000 === 49_999) database.exec('commit; begin')
  }
  database.exec('commit')
  database.exec('pragma wal_checkpoint(truncate)')
}

/** The median time of finding a random item by its whole title, or by a part of it, in microseconds. */
async function p50({ size, service, caller }, way) {
  const times = []
  for (let index = 0; index < samples[way]; index++) {
    const { title } = draft(Math.floor(Math.random() * size))
    const filter = `title ${way === 'label' ? 'eq' : 'co'} "${title}"`
    const began = process.hrtime.bigint()
    const found = await service.listItems(caller, { vaultId, filter })
    times.push(Number(process.hrtime.bigint() - began) / 1000)
    if (found.length !== 1 || found[0].title !== title) throw new Error('found something else')
  }
  return median(times)
}

function report(kind, sizes, [few, many]) {
  const ratio = median(many.label) / median(few.label)
  const walk = median(few.walk)
  const cell = (found) => fixed(median(found), 1)
  printTable(`Filters, ${kind} SQLite, median µs of one list`, [
    ['', ...sizes.map((size) => `${size.toLocaleString('en')} items`), 'ratio', 'goal', ''],
    [
      'title eq',
      cell(few.label),
      cell(many.label),
      fixed(ratio),
      `<= ${goal}`,
      verdict(ratio, goal),
    ],
    ['title co', fixed(walk, 1), '', '', '', ''],
  ])
}
