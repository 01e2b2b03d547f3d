/** The statements of the SQLite stores. Values are bound in the order of the question marks. */

/** The statements on one record. */
export const recordStatements = {
  select: 'select version, body from cofferkit_records where collection = ? and id = ?',
  // Node 22 binds some empty arrays as null.
  insert: `insert into cofferkit_records (index_key, body, collection, id, version)
    values (?, coalesce(?, x''), ?, ?, 1)
    on conflict do nothing`,
  update: `update cofferkit_records set version = version + 1, index_key = ?, body = coalesce(?, x'')
    where collection = ? and id = ? and version = ?`,
  // SQLite rewrites the entry of an index if a statement sets a column of it, even to the same value.
  updateBody: `update cofferkit_records set version = version + 1, body = coalesce(?, x'')
    where collection = ? and id = ? and version = ? and index_key is ?`,
  remove: 'delete from cofferkit_records where collection = ? and id = ? and version = ?',
} as const

/** The statements on one page of records. */
export interface PageStatements {
  /** The rows of the page. Values: those of the conditions, the limit. */
  readonly whole: string
  /** The total of their bodies, `bytes`. Values: those of the conditions, the limit. */
  readonly bytes: string
  /**
   * The rows up to the one whose body brings the total to a number of bytes, or all rows if they do
   * not reach it. Values: twice those of the conditions, the limit, the number of bytes, the limit.
   */
  readonly cut: string
}

/**
 * Returns the statements on the pages of a collection. SQLite determines the length of a body
 * without reading it, so no body after the end of a page is loaded.
 * @param conditions More conditions with one value each. The first value is the collection.
 */
export function pageStatements(...conditions: readonly string[]): PageStatements {
  const page = (columns: string, ...more: readonly string[]): string =>
    `select ${columns} from cofferkit_records
      where ${['collection = ?', ...conditions, ...more].join(' and ')} order by id limit ?`
  const sizes = page('id, length(body) as size')
  const last = `select id from (select id, sum(size) over (order by id) as bytes from (${sizes}))
    where bytes >= ? order by id limit 1`
  return {
    whole: page('id, version, body'),
    bytes: `select total(size) as bytes from (${page('length(body) as size')})`,
    // Every id is less than the empty blob, which is used if no row reaches the number.
    cut: page('id, version, body', `id <= ifnull((${last}), x'')`),
  }
}

/** The statements on one blob. Its chunks are stored under its key. */
export const blobStatements = {
  findComplete: 'select key, chunks from cofferkit_blobs where id = ? and chunks is not null',
  listIds: 'select id from cofferkit_blobs',
  listKeys: 'select key from cofferkit_blobs where id = ?',
  readChunk: 'select bytes from cofferkit_chunks where blob = ? and n = ?',
  create: 'insert into cofferkit_blobs (id) values (?) returning key',
  append: `insert into cofferkit_chunks (blob, n, bytes)
    select key, ?, ? from cofferkit_blobs where key = ?`,
  complete: 'update cofferkit_blobs set chunks = ? where key = ?',
  removeChunks: 'delete from cofferkit_chunks where blob = ?',
  remove: 'delete from cofferkit_blobs where key = ?',
} as const
