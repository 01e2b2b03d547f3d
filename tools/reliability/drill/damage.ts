/** Flips bytes in a SQLite store that no process has open. */

import { DatabaseSync } from 'node:sqlite'

/** A row of a store. */
export interface DamagedRow {
  readonly collection: string
  readonly id: string
}

/** Flips one byte in the middle of a record. @throws Error if there is no such record. */
export function damageRecord(file: string, { collection, id }: DamagedRow): void {
  flipByte(file, 'cofferkit_records', 'body', 'collection = ? and id = ?', [collection, id])
}

/** Flips one byte in the content of a file, and returns the id of the content. */
export function damageBlob(file: string): string {
  const database = new DatabaseSync(file)
  const row = database
    .prepare('select key, id from cofferkit_blobs where chunks > 0 order by key limit 1')
    .get()
  database.close()
  if (row === undefined) throw new Error('the store has no files')
  flipByte(file, 'cofferkit_chunks', 'bytes', 'blob = ? and n = 0', [Number(row['key'])])
  // The encrypted store adds a suffix to the id that its caller knows.
  return String(row['id']).replace(/\.sealed$/, '')
}

/** Returns the last record of a collection. @throws Error if it is empty. */
export function findRecord(file: string, collection: string): DamagedRow {
  const database = new DatabaseSync(file)
  const text = 'select id from cofferkit_records where collection = ? order by id desc limit 1'
  const row = database.prepare(text).get(collection)
  database.close()
  if (row === undefined) throw new Error(`there is no record in ${collection}`)
  return { collection, id: String(row['id']) }
}

function flipByte(
  file: string,
  table: string,
  column: string,
  condition: string,
  values: readonly (string | number)[],
): void {
  const database = new DatabaseSync(file)
  try {
    const read = database.prepare(`select rowid, ${column} from ${table} where ${condition}`)
    const row = read.get(...values)
    const bytes = row?.[column]
    if (!(bytes instanceof Uint8Array)) throw new Error(`there is no row in ${table}`)
    const middle = bytes.length >> 1
    bytes[middle] = (bytes[middle] ?? 0) ^ 1
    const write = database.prepare(`update ${table} set ${column} = ? where rowid = ?`)
    write.run(bytes, Number(row?.['rowid']))
  } finally {
    database.close()
  }
}
