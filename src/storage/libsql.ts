/**
 * A store on a libSQL server such as Turso, in Cloudflare D1, or in memory.
 * @module cofferkit/libsql
 */

import { releaseContent } from '../base/blob-content.js'
import { StorageError } from '../errors.js'
import type { BlobContent, BlobStore, RecordStore, StoredRecord, VaultStore } from '../store.js'
import { cutContent, openChunks } from './chunks.js'
import { createRunner, type LibsqlClient, type Runner } from './libsql/client.js'
import { getBytes, getInteger, getText } from './sql/row.js'
import { schemaMigrations } from './sql/sqlite-schema.js'
import { blobStatements, pageStatements, recordStatements } from './sql/sqlite-statements.js'

export type { LibsqlClient, LibsqlResult, LibsqlStatement, LibsqlValue } from './libsql/client.js'

/**
 * Creates a store on the tables of {@link migrateLibsql}, which are the same as those of
 * `cofferkit/sqlite`. Several processes can share a server. Each operation on a record is one
 * statement. A store sends its writes one after another, because a libSQL server has one writer and
 * may stop answering if many wait.
 *
 * A write is acknowledged when the client has acknowledged it. The server syncs its log later, so
 * an acknowledged write survives a kill of the server, but not always a power failure. The client
 * must not be in a transaction. The store cannot detect that.
 *
 * The client must be connected to a server or to a database in memory. The first call refuses a
 * local file, because `@libsql/client` loses acknowledged writes once another process has locked
 * the file. For a file, use `openSqliteStore` with `Database` of the package `libsql` as `driver`.
 * An embedded replica (`syncUrl`) counts as a file. If you wrap a client, pass on its `protocol`.
 *
 * Cloudflare D1 needs an adapter:
 *
 * ```ts
 * const toStatement = ({ sql, args }) => d1.prepare(sql).bind(...args)
 * const client = {
 *   execute: async (statement) => ({ rows: (await toStatement(statement).all()).results }),
 *   batch: (statements) => d1.batch(statements.map(toStatement)),
 * }
 * ```
 *
 * @returns A store whose calls reject with a StorageError: `STORAGE_UNAVAILABLE` (503) if the
 * database is locked or unreachable, otherwise `STORAGE_FAILED` (500), for example if the tables do
 * not exist or the database is a local file. No error contains a message of the client.
 * @throws TypeError if `client` has no functions `execute` and `batch`.
 *
 * @example
 * ```ts
 * import { createVaultService } from 'cofferkit'
 * import { createLibsqlStore, migrateLibsql } from 'cofferkit/libsql'
 * import { createClient } from '@libsql/client'
 *
 * const client = createClient({ url: 'libsql://vault-example.turso.io', authToken: '…' })
 * await migrateLibsql(client)
 * const service = createVaultService({ store: createLibsqlStore(client) })
 * ```
 */
export function createLibsqlStore(client: LibsqlClient): VaultStore {
  const runner = createRunner(client)
  return { records: createLibsqlRecords(runner), blobs: createLibsqlBlobs(runner) }
}

/**
 * Creates the tables, or migrates them to the version that this library needs. Does nothing if they
 * already have that version. Several processes can do this at the same time. Run it when you
 * deploy, or when your program starts. `sqliteMigrations` of `cofferkit/sqlite` returns the
 * migrations, for tools such as that of D1.
 *
 * @throws StorageError in the cases of {@link createLibsqlStore}, and with code `STORAGE_FAILED` if
 * the tables were created by a newer version of the library.
 * @throws TypeError if `client` has no functions `execute` and `batch`.
 */
export async function migrateLibsql(client: LibsqlClient): Promise<void> {
  await migrate(createRunner(client))
}

/**
 * Migrates the database to the newest version, in one transaction. Does nothing if it has it.
 * @throws StorageError (`STORAGE_FAILED`) if the database has a newer version.
 */
async function migrate(runner: Runner): Promise<void> {
  const version = await readSchemaVersion(runner)
  const statements = schemaMigrations.slice(version).flat()
  if (statements.length === 0) return
  try {
    await runner.batch(...statements.map((sql) => [sql] as const))
  } catch (error) {
    // Another process may have migrated in between.
    if ((await readSchemaVersion(runner)) < schemaMigrations.length) throw error
  }
}

/** Returns 0 if the tables do not exist. */
async function readSchemaVersion({ query }: Runner): Promise<number> {
  const [found] = await query(
    "select count(*) as count from sqlite_master where type = 'table' and name = 'cofferkit_schema'",
  )
  if (getInteger(found, 'count') === 0) return 0
  const [row] = await query('select version from cofferkit_schema')
  const version = getInteger(row, 'version')
  if (version > schemaMigrations.length)
    throw new StorageError(
      `the database was migrated by a newer cofferkit (schema ${version}): upgrade cofferkit`,
    )
  return version
}

/** Creates the record store of a database that has the tables. */
function createLibsqlRecords({ query, write }: Runner): RecordStore {
  const { select, insert, update, remove } = recordStatements
  // Clients differ in how many changed rows they report, but not in the rows they return.
  const returning = ' returning version'
  const pages = pageStatements('id > ?')
  const pagesByIndexKey = pageStatements('index_key = ?', 'id > ?')
  return {
    async get({ collection, id }) {
      const [row] = await query(select, collection, id)
      return row === undefined ? undefined : toRecord(row)
    },
    async put({ collection, id }, { indexKey = null, body }, expectedVersion) {
      const rows =
        expectedVersion === 0
          ? write(insert + returning, indexKey, body, collection, id)
          : write(update + returning, indexKey, body, collection, id, expectedVersion)
      return (await rows).length === 1
    },
    async delete({ collection, id }, expectedVersion) {
      return (await write(remove + returning, collection, id, expectedVersion)).length === 1
    },
    async list(collection, { indexKey, after = '', limit, maxBytes }) {
      const { whole, cut } = indexKey === undefined ? pages : pagesByIndexKey
      const values = indexKey === undefined ? [collection, after] : [collection, indexKey, after]
      const rows =
        maxBytes === undefined
          ? query(whole, ...values, limit)
          : query(cut, ...values, ...values, limit, maxBytes, limit)
      return (await rows).map((row) => ({ id: getText(row, 'id'), ...toRecord(row) }))
    },
  }
}

function toRecord(row: unknown): StoredRecord {
  return { version: getInteger(row, 'version'), body: getBytes(row, 'body') }
}

/** Bytes of every chunk except the last. A row of D1 has at most 2 MB. */
const chunkSize = 262_144

const createComplete = 'insert into cofferkit_blobs (id, chunks) values (?, ?)'
const appendToComplete = `insert into cofferkit_chunks (blob, n, bytes)
  select key, 0, coalesce(?, x'') from cofferkit_blobs where id = ? and chunks = 1`
const removeChunksOfId =
  'delete from cofferkit_chunks where blob in (select key from cofferkit_blobs where id = ?)'
const removeId = 'delete from cofferkit_blobs where id = ?'

/**
 * Creates the blob store of a database that has the tables. A content of one chunk is written in
 * one call. A larger one is stored under its own key. It can be read once the number of its chunks
 * is written, after the last chunk.
 */
function createLibsqlBlobs(runner: Runner): BlobStore {
  const { query, batch } = runner
  return {
    async read(id) {
      const [blob] = await query(blobStatements.findComplete, id)
      if (blob === undefined) return undefined
      const key = getInteger(blob, 'key')
      return openChunks(getInteger(blob, 'chunks'), async (number) => {
        const [row] = await query(blobStatements.readChunk, key, number)
        if (row === undefined) throw new StorageError('the blob was deleted while it was read')
        return getBytes(row, 'bytes')
      })
    },
    async write(id, content) {
      try {
        await writeBlob(runner, id, content)
      } catch (error) {
        releaseContent(content, error)
        throw error
      }
    },
    delete: (id) => batch([removeChunksOfId, id], [removeId, id]),
  }
}

async function writeBlob(runner: Runner, id: string, content: BlobContent): Promise<void> {
  const { write, batch } = runner
  let key: number | undefined
  let count = 0
  try {
    for await (const { bytes, isLast } of cutContent(content, chunkSize)) {
      if (isLast && key === undefined) return await writeSmall(runner, id, bytes)
      key ??= getInteger((await write(blobStatements.create, id))[0], 'key')
      const added = await write(`${blobStatements.append} returning n`, count, bytes, key)
      if (added.length === 0) throw deletedWhileWrittenError()
      count += 1
      if (!isLast) continue
      const completed = await write(`${blobStatements.complete} returning key`, count, key)
      if (completed.length === 0) throw deletedWhileWrittenError()
    }
  } catch (error) {
    // If chunks cannot be removed now, they are removed when the id is deleted.
    if (key !== undefined)
      await batch([blobStatements.removeChunks, key], [blobStatements.remove, key]).catch(() => {})
    throw error
  }
}

async function writeSmall({ batch }: Runner, id: string, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0) await batch([createComplete, id, 0])
  else await batch([createComplete, id, 1], [appendToComplete, bytes, id])
}

function deletedWhileWrittenError(): StorageError {
  return new StorageError('the blob was deleted while it was written')
}
