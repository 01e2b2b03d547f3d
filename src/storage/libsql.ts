/**
 * A store in SQLite through an asynchronous client: libSQL and Turso, and Cloudflare D1.
 * @module cofferkit/libsql
 */

import { anyFunction, assertLike, assertOptions } from '../assert-argument.js'
import type { VaultStore } from '../store.js'
import { createLibsqlBlobs } from './libsql/blobs.js'
import { createRunner, type LibsqlClient } from './libsql/client.js'
import { migrate } from './libsql/migrate.js'
import { createLibsqlRecords } from './libsql/records.js'

export type { LibsqlClient, LibsqlResult, LibsqlStatement, LibsqlValue } from './libsql/client.js'

/** Options of a libSQL store. */
export interface LibsqlStoreOptions {
  /**
   * Milliseconds in which a call that finds the database locked is retried, at most nine times: a
   * number from 0; 5,000 if absent. The client has not done anything then.
   */
  readonly busyTimeoutMs?: number
}

/**
 * Creates a store on the tables of {@link migrateLibsql}. Several processes can share them, also
 * with a store of `cofferkit/sqlite` on the same file: the tables are the same. Each operation on a
 * record is one statement.
 *
 * A write is acknowledged when the client has acknowledged it. A file survives power loss: the
 * client keeps SQLite's default `synchronous=FULL`. A Turso database survives what its plan
 * promises. Do not pass an embedded replica (`syncUrl`): its reads can return old data.
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
 * database is locked or out of reach, else `STORAGE_FAILED` (500), also if the tables do not exist.
 * No error contains a message of the client.
 * @throws TypeError if `client` has no functions `execute` and `batch`, or `options` is not an
 * object.
 * @throws RangeError if the busy timeout is out of range.
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
export function createLibsqlStore(
  client: LibsqlClient,
  options: LibsqlStoreOptions = {},
): VaultStore {
  assertClient(client)
  assertOptions(options)
  const { busyTimeoutMs = 5_000 } = options
  if (typeof busyTimeoutMs !== 'number' || !(busyTimeoutMs >= 0))
    throw new RangeError('busyTimeoutMs must be a number from 0')
  const runner = createRunner(client, busyTimeoutMs)
  return { records: createLibsqlRecords(runner), blobs: createLibsqlBlobs(runner) }
}

/**
 * Creates the tables, or migrates them to the version that this library needs. Does nothing if they
 * have it. Several processes can do it at the same time. Run it when you deploy, or when your
 * program starts. `sqliteMigrations` of `cofferkit/sqlite` returns the statements, for migration
 * tools such as that of D1.
 *
 * @throws StorageError in the cases of {@link createLibsqlStore}, and with code `STORAGE_FAILED` if
 * the tables were created by a newer version of the library.
 * @throws TypeError if `client` has no functions `execute` and `batch`.
 */
export async function migrateLibsql(client: LibsqlClient): Promise<void> {
  assertClient(client)
  await migrate(createRunner(client, 5_000))
}

/** @throws TypeError if `client` has no functions `execute` and `batch`. */
function assertClient(client: LibsqlClient): void {
  assertLike(client, { execute: anyFunction, batch: anyFunction }, 'client')
}
