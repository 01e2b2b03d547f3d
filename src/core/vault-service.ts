/** The interface of a vault service: operations, events and statistics. */

import type { Dialect } from '../dialects/dialect.js'
import type { TransactionClient } from '../store.js'
import type { Caller } from './access/caller.js'
import type { FileOperations } from './files/file-operations.js'
import type { VaultEventType } from './runtime/change.js'
import type { ServiceStats } from './runtime/context.js'
import type { VaultEventListener } from './runtime/events.js'
import type { VaultOperations } from './vault-operations.js'

export type { OperationName } from './access/operation-name.js'

/** The name of an operation that is a method of the service. */
export type MethodName = keyof VaultOperations

/** An operation without its first parameter, the caller. */
type WithoutCaller<Operation> = Operation extends (
  caller: Caller | undefined,
  ...rest: infer Rest
) => infer Result
  ? object extends Rest[0]
    ? (...rest: Partial<Rest>) => Result
    : (...rest: Rest) => Result
  : never

/**
 * The operations of a service for one caller. An input of which every member is optional can be
 * left out.
 */
export type CallerOperations = {
  readonly [Name in keyof VaultOperations]: WithoutCaller<VaultOperations[Name]>
}

/** The operations that cannot be part of a transaction. */
export type OutsideOperation = keyof FileOperations | 'deleteVault' | 'collectGarbage'

/**
 * The operations of a service in a transaction of yours: all but those on files, `deleteVault` and
 * `collectGarbage`, which are rejected with a TypeError. `createCredentials` of `cofferkit/credentials`
 * accepts it; every other function that takes a service refuses it.
 */
export interface VaultTransaction extends Omit<VaultOperations, OutsideOperation> {
  /**
   * Binds the caller of every operation, like `as` of the service.
   * @returns A frozen object.
   */
  as(caller: Caller | undefined): Omit<CallerOperations, OutsideOperation>
}

/**
 * A vault service. The order of its checks, the rules for items and the limits are in [the contract
 * page](https://github.com/cofferkit/cofferkit/blob/main/docs/contract.md).
 *
 * A service is frozen, and none of its members is enumerable. The functions of this library take no
 * copy and no wrapper of it, because calls over HTTP would bypass what it overrides: to observe or
 * refuse calls, use the option `around`.
 */
export interface VaultService extends VaultOperations {
  /**
   * Binds the caller of every operation, for code that makes many calls. Nothing is checked or read
   * until an operation is called: without a caller each of them rejects with UnauthorizedError.
   * @returns A frozen object.
   */
  as(caller: Caller | undefined): CallerOperations
  /**
   * Calls `listener` for each event of a type, after its change is stored. Events of one item are
   * emitted in the order of its versions. A service only emits changes that it made itself. An
   * error of a listener is ignored.
   * @returns A function that removes the listener.
   */
  on(type: VaultEventType, listener: VaultEventListener): () => void
  /**
   * Resolves if the service works: it reads the store, decrypts the record of a vault, and, with an
   * activity log in a store, writes a record there, reads it and deletes it, at most once in 10 s. No
   * entry is added to the log. One damaged record is no failure.
   * @throws StorageError (500) if the store or the log fails, if the store is encrypted and the service
   * has no key, or if its keys are missing, older than those that were read before, or wrapped with a
   * key that the process does not have; StorageUnavailableError (503) if the store does not respond,
   * or a key cannot be obtained.
   */
  checkHealth(): Promise<void>
  /**
   * Refuses new calls with StorageUnavailableError (503), and resolves when the calls in progress
   * have settled. Streams of `readFileContent` that are still being read are not waited for.
   * Closing again returns the same promise. The store and the activity log are not closed: close
   * them afterwards.
   */
  close(): Promise<void>
  /**
   * Makes calls part of a transaction that you have begun in PostgreSQL: their changes commit or roll
   * back with it. Everything else stays with the service and its pool, from which no transaction may
   * be taken: keys of an encrypted store, reads' entries of the activity log, and the `PENDING` ones
   * of changes. There are no events. Once a call has failed because of the database, roll back. Make no
   * call after the transaction has ended: it would write outside of it, or in another one.
   *
   * @param client - A connection in the transaction: a client of `pg` or an adapter. The schema and
   * the tables are those of the store.
   * @returns The operations, each of which rejects with a TypeError if the item that it changes has
   * files; with a ConflictError whose `cause.code` is `40001` or `40P01` if the transaction has lost
   * against a concurrent one; and with a StorageError (500) if an earlier statement has failed.
   * @throws TypeError if the store has no such transactions, or `client` cannot be the client of one.
   * @example
   * await db.transaction(async (tx) => {
   *   const vault = service.inTransaction(drizzleClient(tx))
   *   const { id } = await vault.createItem(caller, { vaultId, item })
   *   await tx.insert(integrations).values({ id, tenantId })
   * })
   */
  inTransaction(client: TransactionClient): VaultTransaction
  /** The counters since the service was created. They are live. */
  readonly stats: Readonly<ServiceStats>
  /** The dialect that parses bodies and formats items over HTTP. */
  readonly dialect: Dialect
  /** The clock of the service. Its result is not validated. */
  readonly now: () => Date
}
