/** The interface of a vault service: operations, events and statistics. */

import type { Closable } from '../base/closable.js'
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

/** The operations of a service for one caller: each without its first parameter. */
export type CallerOperations = {
  readonly [Name in keyof VaultOperations]: VaultOperations[Name] extends (
    caller: Caller | undefined,
    ...rest: infer Rest
  ) => infer Result
    ? (...rest: Rest) => Result
    : never
}

/** The operations that cannot be part of a transaction. */
export type OutsideOperation = keyof FileOperations | 'deleteVault' | 'collectGarbage'

/**
 * The operations of a service in your own transaction. Operations on files, `deleteVault` and
 * `collectGarbage` are not available and reject with a TypeError. You can pass this to
 * `createCredentials` from `cofferkit/credentials`. Every other function that takes a service
 * refuses it.
 */
export interface VaultTransaction extends Omit<VaultOperations, OutsideOperation> {
  /**
   * Binds the caller of every operation, like the service's `as`.
   * @returns A frozen object.
   */
  as(caller: Caller | undefined): Omit<CallerOperations, OutsideOperation>
}

/**
 * A vault service. The order of its checks, the rules for items and the limits are in [the contract
 * page](https://github.com/cofferkit/cofferkit/blob/main/docs/contract.md).
 *
 * A service is frozen, and none of its members is enumerable. Do not copy or wrap it. The functions
 * of this library refuse a copy, because calls over HTTP would bypass what it overrides. To observe
 * or refuse calls, use the option `around`.
 */
export interface VaultService extends VaultOperations, Closable {
  /**
   * Binds the caller of every operation, for code that makes many calls. Nothing is checked or read
   * until you call an operation. If the caller is undefined, each operation rejects with
   * UnauthorizedError.
   * @returns A frozen object.
   */
  as(caller: Caller | undefined): CallerOperations
  /**
   * Calls `listener` for each event of a type, after its change is stored. Events of one item are
   * emitted in the order of its versions. A service emits only changes that it made itself. Errors
   * of listeners are ignored.
   * @returns A function that removes the listener.
   */
  on(type: VaultEventType, listener: VaultEventListener): () => void
  /**
   * Resolves if the service works. It reads the store, and decrypts the record of a vault. If the
   * activity log is in a store, it also writes, reads and deletes a record there, at most once in
   * 10 s. It adds no entry to the log. A single damaged record does not count as a failure.
   * @throws StorageError (500) if the store or the log fails, or if the store is encrypted and its
   * keys are not passed, missing, older than those that were read before, or wrapped with a key
   * that the process does not have.
   * @throws StorageUnavailableError (503) if the store does not respond, or a key cannot be
   * obtained.
   */
  checkHealth(): Promise<void>
  /**
   * Makes new calls fail with StorageUnavailableError (503), and resolves when the calls in
   * progress have settled. It does not wait for streams of `readFileContent` that are still being
   * read. Closing again returns the same promise. The store and the activity log are not closed,
   * so close what you opened afterwards.
   */
  close(): Promise<void>
  /**
   * Makes calls part of a transaction that you have begun in PostgreSQL, so that their changes
   * commit or roll back with it. Some things stay outside, on the service's own pool, which must
   * not share the transaction's connection: the keys of an encrypted store, the activity log's
   * entries of reads, and its `PENDING` entries of changes. No events are emitted.
   *
   * If a call fails because of the database, roll back. Do not make a call after the transaction
   * has ended, because it would write outside the transaction or in another one.
   * @param client - A connection in the transaction: a client of `pg` or an adapter. It must see
   * the same schema and tables as the store.
   * @returns The operations. Each of them also rejects with
   * - a TypeError if the item that it changes has files
   * - a ConflictError whose `cause.code` is `40001` or `40P01` if the transaction lost against a
   *   concurrent one
   * - a StorageError (500) if an earlier statement has failed
   *
   * @throws TypeError if the store has no such transactions, or `client` cannot be the client of
   * one.
   * @example
   * await db.transaction(async (tx) => {
   *   const vault = service.inTransaction(drizzleClient(tx))
   *   const { id } = await vault.createItem(caller, { vaultId, item })
   *   await tx.insert(integrations).values({ id, tenantId })
   * })
   */
  inTransaction(client: TransactionClient): VaultTransaction
  /** Live counters since the service was created. */
  readonly stats: Readonly<ServiceStats>
  /** The dialect that parses bodies and formats items over HTTP. */
  readonly dialect: Dialect
  /** The clock of the service. Its result is not validated. */
  readonly now: () => Date
}
