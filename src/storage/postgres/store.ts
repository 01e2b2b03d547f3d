/** The two halves of a PostgreSQL store, on tables that exist. */

import { safeGet } from '../../base/safe-get.js'
import { vaultRecords } from '../../base/stored-records.js'
import { StorageError } from '../../errors.js'
import type { BlobStore, RecordStore, StoredRecord } from '../../store.js'
import { createSqlBlobs } from '../sql/blobs.js'
import { getBytes, getCount, getText } from '../sql/row.js'
import type { Query } from './query.js'
import type { TableNames } from './tables.js'

/** Options of `createPostgresRecords`. */
export interface PostgresRecordsOptions {
  /**
   * If true, each vault record that is read stays locked until the transaction ends. Default:
   * false.
   */
  readonly locksVaults?: boolean
}

/**
 * Creates the record store of these tables. Every statement includes the collection, so the table
 * can be sharded by it.
 */
export function createPostgresRecords(
  query: Query,
  { records }: TableNames,
  { locksVaults = false }: PostgresRecordsOptions = {},
): RecordStore {
  const hasKey = 'collection = $1 AND id = $2'
  const get = `SELECT version, body FROM ${records} WHERE ${hasKey}`
  const getLocked = `${get} FOR SHARE`
  const insert = `INSERT INTO ${records} (collection, id, version, index_key, body)
    VALUES ($1, $2, 1, $3, $4) ON CONFLICT DO NOTHING RETURNING version`
  const update = `UPDATE ${records} SET version = version + 1, index_key = $3, body = $4
    WHERE ${hasKey} AND version = $5 RETURNING version`
  const remove = `DELETE FROM ${records} WHERE ${hasKey} AND version = $3 RETURNING version`
  const page = (condition = ''): string => `SELECT id, version, body FROM ${records}
    WHERE collection = $1 AND id > $2 ${condition} ORDER BY id LIMIT $3`
  const list = cutPage(page())
  const listByIndexKey = cutPage(page('AND index_key = $5'))
  return {
    async get({ collection, id }) {
      const isLocked = locksVaults && collection === vaultRecords.collection
      const [row] = await query(isLocked ? getLocked : get, [collection, id])
      return row === undefined ? undefined : toRecord(row)
    },
    async put({ collection, id }, { body, indexKey }, expectedVersion) {
      const values = [collection, id, indexKey ?? null, body]
      const rows =
        expectedVersion === 0 ? query(insert, values) : query(update, [...values, expectedVersion])
      return (await rows).length === 1
    },
    async delete({ collection, id }, expectedVersion) {
      return (await query(remove, [collection, id, expectedVersion])).length === 1
    },
    async list(collection, { indexKey, after = '', limit, maxBytes = Number.MAX_SAFE_INTEGER }) {
      const values = [collection, after, limit, maxBytes]
      const rows =
        indexKey === undefined ? query(list, values) : query(listByIndexKey, [...values, indexKey])
      return (await rows).map((row) => ({ id: getText(row, 'id'), ...toRecord(row) }))
    },
  }
}

/**
 * Returns a statement for the rows of a page up to the one whose body brings the total to `$4`
 * bytes. PostgreSQL knows the lengths without the bodies, and reads and sends bodies only for these
 * rows.
 */
function cutPage(page: string): string {
  return `SELECT id, version, body FROM (
      SELECT id, version, body,
        sum(octet_length(body)) OVER (ORDER BY id) - octet_length(body) AS bytes_before
      FROM (${page}) AS page
    ) AS sized WHERE bytes_before < $4 ORDER BY id`
}

function toRecord(row: unknown): StoredRecord {
  return { version: getCount(row, 'version'), body: getBytes(row, 'body') }
}

/**
 * Creates the blob store of these tables. Every statement includes the id, so both tables can be
 * sharded by it. The first call checks one session of the client.
 */
export function createPostgresBlobs(
  uncheckedQuery: Query,
  { blobs, chunks }: TableNames,
): BlobStore {
  let isChecked = false
  const query: Query = async (text, values) => {
    if (!isChecked) await assertCascades(uncheckedQuery)
    isChecked = true
    return uncheckedQuery(text, values)
  }
  const isOwner = 'id = $1 AND writer = $2'
  // Includes the bytes of the only chunk, which saves a round trip.
  const find =
    `SELECT b.writer, b.chunks, c.bytes FROM ${blobs} b LEFT JOIN ${chunks} c` +
    ' ON c.id = b.id AND c.writer = b.writer AND c.n = 0 AND b.chunks = 1' +
    ' WHERE b.id = $1 AND b.chunks IS NOT NULL'
  const readChunk = `SELECT bytes FROM ${chunks} WHERE ${isOwner} AND n = $3`
  const claim = `INSERT INTO ${blobs} (id, writer) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id`
  const append = `INSERT INTO ${chunks} (id, writer, n, bytes) VALUES ($1, $2, $3, $4)`
  const complete = `UPDATE ${blobs} SET chunks = $3 WHERE ${isOwner} RETURNING id`
  const abort = `DELETE FROM ${blobs} WHERE ${isOwner}`
  const remove = `DELETE FROM ${blobs} WHERE id = $1`
  return createSqlBlobs({
    async find(id) {
      const [row] = await query(find, [id])
      if (row === undefined) return undefined
      return {
        writer: getText(row, 'writer'),
        count: getCount(row, 'chunks'),
        onlyChunk: getChunk(row),
      }
    },
    readChunk: async (...key) => getChunk((await query(readChunk, key))[0]),
    claim: async (...owner) => (await query(claim, owner)).length > 0,
    append: async (...chunk) => void (await query(append, chunk)),
    complete: async (...blob) => (await query(complete, blob)).length > 0,
    abort: async (...owner) => void (await query(abort, owner)),
    remove: async (id) => void (await query(remove, [id])),
  })
}

/**
 * @throws StorageError if the session enforces no foreign keys, so that the chunks of a removed blob
 * would stay forever. Databases without the setting always enforce them.
 */
async function assertCascades(query: Query): Promise<void> {
  const [row] = await query("SELECT current_setting('session_replication_role', true) AS role")
  if (safeGet(row, 'role') !== 'replica') return
  const setting = 'session_replication_role must not be replica'
  throw new StorageError(`the store cannot use this client: ${setting}`)
}

function getChunk(row: unknown): Uint8Array | undefined {
  return (safeGet(row, 'bytes') ?? undefined) === undefined ? undefined : getBytes(row, 'bytes')
}
