/** Finding an item by its title among a thousand items and among many, in SQLite. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Caller, RecordStore, VaultService, VaultServiceOptions, VaultStore } from 'cofferkit'
import type { BenchOptions, PartResults } from './bench-options.js'
import { loadBuild } from './load-build.js'
import { draft, vaultId } from './sample.js'
import { median } from './statistics.js'
import { fixed, type Table, verdict } from './table.js'

interface FilledVault {
  readonly size: number
  readonly service: VaultService
  readonly caller: Caller
  /** Microseconds, the median of each round. */
  readonly times: Readonly<Record<Way, number[]>>
}

/** By the index key (`title eq`), or by a scan of all items (`title co`). */
type Way = 'index' | 'scan'

const goal = 2.2
const samples: Readonly<Record<Way, number>> = { index: 2000, scan: 10 }

/** Measures the first build. */
export async function benchFilter({
  builds: [{ url }],
  rounds = 5,
  items = 100_000,
}: BenchOptions): Promise<PartResults> {
  const build = loadBuild(url)
  const core = await build.core()
  const { createSqliteStore } = await build.sqlite()
  const { createEncryptedStore, createLocalKeyProvider } = await build.encrypted()
  const keys = createLocalKeyProvider({ key: crypto.getRandomValues(new Uint8Array(32)) })
  const wraps: Readonly<Record<string, (store: VaultStore) => VaultStore>> = {
    plain: (store) => store,
    encrypted: (store) => createEncryptedStore(store, { keys }),
  }
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-bench-'))
  const databases: DatabaseSync[] = []
  const tables: Table[] = []
  try {
    for (const [kind, wrap] of Object.entries(wraps)) {
      const openVault = async (size: number): Promise<FilledVault> => {
        const database = new DatabaseSync(join(folder, `${kind}-${size}.db`))
        databases.push(database)
        const store = createSqliteStore(database)
        const records = { ...store.records, put: createInsert(database) }
        await fill(core, database, wrap({ ...store, records }), size)
        const service = core.createVaultService({ store: wrap(store) })
        const caller = core.createCaller('bench', '*')
        return { size, service, caller, times: { index: [], scan: [] } }
      }
      const few = await openVault(1000)
      const many = await openVault(items)
      for (let round = -1; round < rounds; round++) {
        await measureRound(few, ['index', 'scan'], round >= 0)
        await measureRound(many, ['index'], round >= 0)
      }
      tables.push(createTable(kind, few, many))
    }
    return { tables }
  } finally {
    for (const database of databases) database.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** A put that inserts into the current transaction. The store would sync each write. */
function createInsert(database: DatabaseSync): RecordStore['put'] {
  const insert = database.prepare(
    'insert into cofferkit_records (collection, id, version, index_key, body) values (?, ?, 1, ?, ?)',
  )
  return async ({ collection, id }, { body, indexKey = null }) => {
    insert.run(collection, id, indexKey, body)
    return true
  }
}

/**
 * Fills a vault with items of four fields, created by the service. Ids ascend, so that the file is
 * filled from one end.
 */
async function fill(
  core: typeof import('cofferkit'),
  database: DatabaseSync,
  store: VaultStore,
  size: number,
): Promise<void> {
  let count = 0
  const randomBytes: VaultServiceOptions['randomBytes'] = (length) => {
    const bytes = new Uint8Array(length)
    new DataView(bytes.buffer).setUint32(length - 4, count++)
    return bytes
  }
  const service = core.createVaultService({ store, randomBytes })
  const caller = core.createCaller('bench', '*')
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

async function measureRound(
  vault: FilledVault,
  ways: readonly Way[],
  isCounted: boolean,
): Promise<void> {
  for (const way of ways) {
    const time = await measure(vault, way)
    if (isCounted) vault.times[way].push(time)
  }
}

/** The median time of finding a random item by its title, in microseconds. */
async function measure({ size, service, caller }: FilledVault, way: Way): Promise<number> {
  const times: number[] = []
  for (let index = 0; index < samples[way]; index++) {
    const { title } = draft(Math.floor(Math.random() * size))
    const filter = `title ${way === 'index' ? 'eq' : 'co'} "${title}"`
    const start = process.hrtime.bigint()
    const found = await service.listItems(caller, { vaultId, filter })
    times.push(Number(process.hrtime.bigint() - start) / 1000)
    if (found.length !== 1 || found[0]?.title !== title) throw new Error('found another item')
  }
  return median(times)
}

function createTable(kind: string, few: FilledVault, many: FilledVault): Table {
  const [fewTime, manyTime] = [median(few.times.index), median(many.times.index)]
  const ratio = manyTime / fewTime
  const counts = [few, many].map(({ size }) => `${size.toLocaleString('en')} items`)
  const rows = [
    ['', ...counts, 'ratio', 'goal', ''],
    [
      'title eq',
      fixed(fewTime, 1),
      fixed(manyTime, 1),
      fixed(ratio),
      `<= ${goal}`,
      verdict(ratio, goal),
    ],
    ['title co', fixed(median(few.times.scan), 1)],
  ]
  return { id: `filter-${kind}`, title: `Filters, ${kind} SQLite, median µs of one list`, rows }
}
