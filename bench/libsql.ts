/** CPU of the stores in libSQL, beside the same statements by hand. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import type { RecordStore } from 'cofferkit'
import Database from 'libsql'
import type { BenchOptions, PartResults } from './bench-options.js'
import { loadBuild } from './load-build.js'
import { costHead, measureCosts, type Pair } from './stores/measure-costs.js'
import { collection, createBody, createId, indexKey, type Task } from './stores/rows.js'

const count = 1000
const key = { collection, id: createId(0) }
const table = `create table raw (collection text not null, id text not null,
  version integer not null, index_key text, body blob not null) strict`
const index = 'create unique index raw_id on raw (collection, id)'
const insert = 'insert into raw values (?, ?, 1, ?, ?)'
const select = 'select version, body from raw where collection = ? and id = ?'
const update = `update raw set version = version + 1, index_key = ?, body = ?
  where collection = ? and id = ? and version = ?`

/** Measures the first build. */
export async function benchLibsql({
  builds: [{ url }],
  rounds = 7,
}: BenchOptions): Promise<PartResults> {
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-bench-'))
  const build = loadBuild(url)
  const { openSqliteStore } = await build.sqlite()
  const { createLibsqlStore, migrateLibsql } = await build.libsql()
  const sync = await openSqliteStore(join(folder, 'sync.db'), { driver: Database })
  const client = createClient({ url: `file:${join(folder, 'async.db')}` })
  try {
    await client.execute('pragma journal_mode = wal')
    await migrateLibsql(client)
    const async = createLibsqlStore(client)
    await client.batch([table, index], 'write')
    await client.execute({ sql: insert, args: [collection, key.id, indexKey, createBody()] })
    const rawSync = openRaw(join(folder, 'raw.db'))
    const pairs: readonly Pair[] = [
      { name: 'libsql, put', count, store: await createPut(sync.records), raw: rawSync.put },
      { name: 'libsql, get', count, store: () => sync.records.get(key), raw: rawSync.get },
      {
        name: '@libsql/client, put',
        count,
        store: await createPut(async.records),
        raw: createVersioned((version) =>
          client.execute({
            sql: update,
            args: [indexKey, createBody(), collection, key.id, version],
          }),
        ),
      },
      {
        name: '@libsql/client, get',
        count,
        store: () => async.records.get(key),
        raw: () => client.execute({ sql: select, args: [collection, key.id] }),
      },
    ]
    const rows = await measureCosts(pairs, rounds, 1)
    rawSync.close()
    const title = 'libSQL in a file, CPU of an operation on an item’s record'
    return { tables: [{ id: 'libsql', title, rows: [costHead, ...rows] }] }
  } finally {
    await sync.close()
    client.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Raw {
  readonly put: Task
  readonly get: Task
  close(): void
}

function openRaw(path: string): Raw {
  const database = new Database(path)
  database.exec('pragma journal_mode = wal; pragma synchronous = full')
  database.exec(table)
  database.exec(index)
  database.prepare(insert).run(collection, key.id, indexKey, createBody())
  const [put, get] = [database.prepare(update), database.prepare(select)]
  return {
    put: createVersioned((version) => put.run(indexKey, createBody(), collection, key.id, version)),
    get: () => get.get(collection, key.id),
    close: () => database.close(),
  }
}

async function createPut(records: RecordStore): Promise<Task> {
  await records.put(key, { body: createBody(), indexKey }, 0)
  return createVersioned(async (version) => {
    if (!(await records.put(key, { body: createBody(), indexKey }, version)))
      throw new Error('a put was rejected')
  })
}

/** Each run gets the next version. */
function createVersioned(run: (version: number) => unknown): Task {
  let version = 0
  return () => {
    version += 1
    return run(version)
  }
}
