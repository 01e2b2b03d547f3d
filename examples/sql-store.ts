/**
 * A complete store on a SQL database, as a template for your own. It passes the store contract. For
 * better-sqlite3, replace `DatabaseSync` with its class.
 */

import { DatabaseSync } from 'node:sqlite'
import { buffer } from 'node:stream/consumers'
import type { ListedRecord, StoredRecord, VaultStore } from 'cofferkit'
import { blobStoreContract, recordStoreContract } from 'cofferkit/testing'

type Value = string | number | Uint8Array | null

/** A store on `database`. Blobs are in memory as a whole while they are written or read. */
function createSqlStore(database: DatabaseSync): VaultStore {
  database.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table if not exists records (collection text, id text, version integer, index_key text,
      body blob, primary key (collection, id));
    create index if not exists by_index_key on records (collection, index_key, id);
    create table if not exists blobs (id text primary key, bytes blob)`)
  const run = (sql: string, ...values: Value[]): boolean =>
    database.prepare(sql).run(...values).changes === 1
  const all = <Row>(sql: string, ...values: Value[]): Row[] =>
    database.prepare(sql).all(...values) as Row[]
  const here = 'where collection = ? and id = ?'
  const insert = `insert or ignore into records (index_key, body, collection, id, version)
    values (?, ?, ?, ?, 1)`
  const update = `update records set index_key = ?, body = ?, version = version + 1
    ${here} and version = ?`
  const list =
    'select id, version, body from records where collection = ? and id > ?'
  const page = 'order by id limit ?'
  const rows = (sql: string, ...values: Value[]): Iterable<ListedRecord> =>
    database.prepare(sql).iterate(...values) as Iterable<never>
  return {
    records: {
      get: async ({ collection, id }) =>
        all<StoredRecord>(
          `select version, body from records ${here}`,
          collection,
          id,
        )[0],
      async put({ collection, id }, { body, indexKey }, expectedVersion) {
        const values = [indexKey ?? null, body, collection, id]
        return expectedVersion === 0
          ? run(insert, ...values)
          : run(update, ...values, expectedVersion)
      },
      delete: async ({ collection, id }, expectedVersion) =>
        run(
          `delete from records ${here} and version = ?`,
          collection,
          id,
          expectedVersion,
        ),
      list: async (collection, { indexKey, after = '', limit, maxBytes }) =>
        indexKey === undefined
          ? cut(rows(`${list} ${page}`, collection, after, limit), maxBytes)
          : cut(
              rows(
                `${list} and index_key = ? ${page}`,
                collection,
                after,
                indexKey,
                limit,
              ),
              maxBytes,
            ),
    },
    blobs: {
      async read(id) {
        const [row] = all<{ bytes: Uint8Array }>(
          'select bytes from blobs where id = ?',
          id,
        )
        return row?.bytes
      },
      async write(id, content) {
        const bytes =
          content instanceof Uint8Array ? content : await buffer(content)
        run('insert into blobs values (?, ?)', id, bytes)
      },
      delete: async (id) => void run('delete from blobs where id = ?', id),
    },
  }
}

/** Returns the rows up to the one that reaches `maxBytes` of bodies. Later rows are not read. */
function cut(
  rows: Iterable<ListedRecord>,
  maxBytes = Number.POSITIVE_INFINITY,
): ListedRecord[] {
  const found: ListedRecord[] = []
  let bytes = 0
  for (const row of rows) {
    found.push(row)
    bytes += row.body.length
    if (bytes >= maxBytes) break
  }
  return found
}

for (const { run } of recordStoreContract)
  await run(createSqlStore(new DatabaseSync('')).records)
for (const { run } of blobStoreContract)
  await run(createSqlStore(new DatabaseSync('')).blobs)
console.log(
  `${recordStoreContract.length + blobStoreContract.length} cases passed`,
)
