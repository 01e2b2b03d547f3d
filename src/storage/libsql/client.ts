/** Describes an asynchronous client of SQLite, runs its statements and converts its errors. */

import { anyFunction, like } from '../../base/argument.js'
import { redactError } from '../../base/redact-error.js'
import { safeGet } from '../../base/safe-get.js'
import { withTimeout } from '../../base/with-timeout.js'
import {
  isVaultError,
  StorageError,
  StorageUnavailableError,
  type VaultError,
} from '../../errors.js'
import { findResultCode, toVaultError } from '../sql/sqlite-errors.js'

/**
 * The parts of a client of `@libsql/client` that the store uses. Every call must be its own
 * transaction. In the result, text is a string, an integer is a number or a bigint, and a blob is
 * an ArrayBuffer, a Uint8Array or an array of numbers.
 */
export interface LibsqlClient {
  /** `file` if the client itself opens the database: a file, an embedded replica or in memory. */
  readonly protocol?: string | undefined
  /** Runs one statement. */
  execute(statement: LibsqlStatement): Promise<LibsqlResult>
  /** Runs the statements in one transaction. If one fails, none takes effect. */
  batch(statements: LibsqlStatement[], mode: 'write'): Promise<unknown>
}

/** A statement, and the values of its question marks in order. */
export interface LibsqlStatement {
  sql: string
  args: LibsqlValue[]
}

/** A value that is bound to a parameter. */
export type LibsqlValue = string | number | Uint8Array | null

/** The result of a statement. */
export interface LibsqlResult {
  /** One object per row, with one member per column. */
  readonly rows: readonly unknown[]
}

/**
 * Runs statements. All functions reject with a StorageError (`toStorageError`). Reads run
 * concurrently, writes one after another, because a libSQL server has one writer. If many writes
 * wait, it refuses writes as locked, or stops responding to any client.
 */
export interface Runner {
  /** Resolves with the rows of a statement that reads. */
  query(sql: string, ...args: LibsqlValue[]): Promise<readonly unknown[]>
  /** Resolves with the rows that a writing statement returns. */
  write(sql: string, ...args: LibsqlValue[]): Promise<readonly unknown[]>
  /** Runs statements in one writing transaction. */
  batch(...statements: (readonly [sql: string, ...args: LibsqlValue[]])[]): Promise<void>
}

/**
 * How long a write waits for the one before it, in milliseconds, because that one may never end.
 */
const maxWaitMs = 5000

/**
 * Creates a runner on the client. No call is retried. Before the first call it checks that the
 * client does not write to a local file.
 * @throws TypeError if `client` has no functions `execute` and `batch`.
 */
export function createRunner(client: LibsqlClient): Runner {
  like({ execute: anyFunction, batch: anyFunction })(client, 'client')
  let isChecked = false
  const run = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    try {
      if (!isChecked) await assertNoFile(client)
      isChecked = true
      return await call()
    } catch (error) {
      throw toStorageError(error)
    }
  }
  let lastWrite: Promise<unknown> = Promise.resolve()
  const runAfterLastWrite = <Result>(call: () => Promise<Result>): Promise<Result> => {
    const started = lastWrite.then(() => {
      const result = run(call)
      const stillRuns = (): Error => new StorageError('the write is still running')
      return { result, end: withTimeout(result, maxWaitMs, stillRuns) }
    })
    lastWrite = started.then(({ end }) => end).catch(() => {})
    return started.then(({ result }) => result)
  }
  return {
    async query(sql, ...args) {
      return rowsOf(await run(() => client.execute({ sql, args })))
    },
    async write(sql, ...args) {
      return rowsOf(await runAfterLastWrite(() => client.execute({ sql, args })))
    },
    async batch(...statements) {
      const list = statements.map(([sql, ...args]) => ({ sql, args }))
      await runAfterLastWrite(() => client.batch(list, 'write'))
    },
  }
}

/**
 * If a file refuses a statement with SQLITE_BUSY, `@libsql/client` leaves the statement open.
 * Everything that it then acknowledges on that connection is in a transaction that is never
 * committed.
 * @throws StorageError if the client opens a file.
 */
async function assertNoFile(client: LibsqlClient): Promise<void> {
  if (client.protocol !== 'file') return
  const rows = rowsOf(await client.execute({ sql: 'pragma database_list', args: [] }))
  if (rows.every((row) => safeGet(row, 'file') === '')) return
  const solution = 'use openSqliteStore of cofferkit/sqlite with the driver libsql'
  throw new StorageError(`@libsql/client can lose writes to a local file: ${solution}`)
}

/** @throws StorageError if the result has no rows. */
function rowsOf({ rows }: LibsqlResult): readonly unknown[] {
  if (!Array.isArray(rows)) throw new StorageError('the client returned no rows')
  return rows
}

/** Messages of clients, because they have no code for a lost connection or an overloaded server. */
const unavailableMessage =
  /fetch failed|connect|socket|terminated|reset\b|EPIPE|overloaded|timed? ?out/i
const unavailableStatus = /HTTP status (?:429|5\d\d)/

/**
 * Converts an error of the client into one that contains no message of the client. An error of this
 * library is returned unchanged. `STORAGE_UNAVAILABLE` (503) if the database was locked or
 * unreachable, otherwise `STORAGE_FAILED` (500).
 */
function toStorageError(error: unknown): VaultError {
  if (isVaultError(error)) return error
  const name = findResultCode(error)
  const cause = redactError(error)
  // The unique index of complete blobs is the only constraint that a statement can violate.
  if (name === 'SQLITE_CONSTRAINT')
    return new StorageError('a blob with this id already exists', { cause })
  const message = String(safeGet(error, 'message'))
  if (name === undefined && (unavailableMessage.test(message) || unavailableStatus.test(message)))
    return new StorageUnavailableError('the database is not available', { cause })
  return toVaultError(error)
}
