/** The baseline of SQLite: node:sqlite with the same settings and table, one statement a commit. */

import { DatabaseSync } from 'node:sqlite'

/** A record of the table. */
interface RawRecord {
  readonly collection: string
  readonly id: string
  readonly indexKey: string
  readonly body: Uint8Array
}

/** An open database. */
export interface RawSqlite {
  insert(record: RawRecord): void
  update(record: RawRecord): void
  close(): void
}

/** Opens a new file. */
export function openRawSqlite(path: string): RawSqlite {
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = wal; pragma synchronous = full')
  database.exec(`create table records (
    collection text not null, id text not null, version integer not null, label text, body blob not null
  ) strict; create unique index record_key on records (collection, id)`)
  const insert = database.prepare('insert into records values (?, ?, 1, ?, ?)')
  const update = database.prepare(
    'update records set version = version + 1, label = ?, body = ? where collection = ? and id = ?',
  )
  return {
    insert({ collection, id, indexKey, body }) {
      insert.run(collection, id, indexKey, body)
    },
    update({ collection, id, indexKey, body }) {
      update.run(indexKey, body, collection, id)
    },
    close: () => database.close(),
  }
}
