/** The floor of SQLite: node:sqlite with the same settings and the same table, one prepared statement a commit. */

import { DatabaseSync } from 'node:sqlite'

export function openRawSqlite(path) {
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = wal; pragma synchronous = full')
  database.exec(`create table records (
    collection text not null, id text not null, version integer not null, label text, body blob not null
  ) strict; create unique index place on records (collection, id)`)
  const insert = database.prepare('insert into records values (?, ?, 1, ?, ?)')
  const update = database.prepare(
    'update records set version = version + 1, label = ?, body = ? where collection = ? and id = ?',
  )
  return {
    insert: (collection, id, label, body) => insert.run(collection, id, label, body),
    update: (collection, id, label, body) => update.run(label, body, collection, id),
    close: () => database.close(),
  }
}
