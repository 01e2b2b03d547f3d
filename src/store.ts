/**
 * The interface between a vault service and the database it uses: a map from keys to versioned
 * bytes, written by compare-and-swap, and a place for immutable blobs. A store does not look inside
 * what it stores. Nobody modifies the bytes of a record, or of a blob passed as one array, after
 * they were passed in or returned. So a store need not copy them. Chunks belong to their receiver.
 * If a promise rejects, a write may or may not have happened. A store that is locked, full or
 * unreachable rejects, and never returns a guess.
 *
 * Implementors run `recordStoreContract` and `blobStoreContract` of `cofferkit/testing` against
 * their store. `docs/writing-a-store.md` explains each guarantee.
 */

import type { DecryptionError } from './errors.js'

/** The two halves of a store. They can use different databases. */
export interface VaultStore {
  /** Vaults, items and everything else that fits in one record. */
  readonly records: RecordStore
  /** The contents of files. */
  readonly blobs: BlobStore
}

/** A part of the tables of a store, for a migration tool. */
export interface Migration {
  /**
   * Its name, such as `cofferkit_002_records`. It never changes. Sorted alphabetically, the names
   * are in the order in which the parts must be created.
   */
  readonly name: string
  /** SQL statements in order. Each can run on its own, and has no semicolon at its end. */
  readonly statements: readonly string[]
}

/** The settings of a database server. */
export interface ServerSettings {
  /** The time of its clock. */
  readonly now: Date
  /** The settings that decide what survives a crash, by name. */
  readonly values: Readonly<Record<string, string>>
}

/** A store on a database server. */
export interface ServerStore extends VaultStore {
  /** Reads the settings. `npx cofferkit doctor` checks them. Rejects with a StorageError. */
  readSettings(): Promise<ServerSettings>

  /** Returns false if the tables do not exist yet. Rejects with a StorageError. */
  hasTables(): Promise<boolean>

  /**
   * Returns the ids of all contents of files, as they are stored, and even of those that were not
   * written completely. `npx cofferkit doctor --deep` looks for contents that no item refers to.
   * Rejects with a StorageError.
   */
  listBlobIds(): Promise<readonly string[]>
}

/** The check that a service asks of a store with keys, such as an encrypted one. */
export interface StoreHealth {
  /**
   * Rejects if this process could not read the stored keys again. Its calls may still succeed with
   * the keys it has in memory.
   */
  checkHealth?(): Promise<void>
}

/** A map from keys to versioned bytes. */
export interface RecordStore {
  /**
   * Returns the record that is stored under `key`, or undefined if there is no such record. Every
   * `get` that begins after a `put` has resolved, in any process, returns what that `put` wrote or
   * something newer.
   */
  get(key: RecordKey): Promise<StoredRecord | undefined>

  /**
   * Writes `record` as version `expectedVersion + 1` if the stored version is `expectedVersion`.
   * Version 0 means that no record is stored. Comparing and writing are one atomic step, even
   * between processes.
   * @returns true if the record was written and survives every failure that the store claims to
   * survive; false if the stored version is a different one. If the promise rejects, the record may
   * or may not have been written.
   */
  put(key: RecordKey, record: RecordInput, expectedVersion: number): Promise<boolean>

  /**
   * Removes the record if the stored version is `expectedVersion`. Nothing of it remains, so the
   * next record under this key begins at version 1.
   * @returns true if the record was removed; false if the stored version is a different one or
   * `expectedVersion` is 0. If the promise rejects, the record may or may not have been removed.
   */
  delete(key: RecordKey, expectedVersion: number): Promise<boolean>

  /**
   * Returns one page of the records of `collection`, ascending by the UTF-8 bytes of their ids. A
   * page with fewer than `limit` records, whose bodies together have fewer than `maxBytes` bytes,
   * is the last one. The page is empty if no record matches.
   */
  list(collection: string, page: RecordQuery): Promise<readonly ListedRecord[]>

  /**
   * Resolves with true if the client is in a transaction that can still roll back what the last
   * call wrote or read. An encrypted store asks this before it uses keys that are new to its
   * process, and before it erases those of a deleted vault. It rejects the call if the keys or the
   * deletion could be rolled back. Leave this method out if the store's writes can never be part of
   * the application's transaction. Leave it out as well if the store cannot find out, and say so in
   * its documentation.
   */
  canRollBack?(): Promise<boolean>

  /**
   * Returns a store of the same records whose calls are part of a transaction that the application
   * has begun on `client`. They commit or roll back with it. The calls behave like those of this
   * store, with two exceptions:
   * - once `get` has returned a record of the collection `vaults`, others must wait until the
   *   transaction ends before they can change it
   * - a call rejects with a ConflictError if the transaction lost against a concurrent one and must
   *   be started again. The `code` of its `cause` is the database's error code
   *
   * A store that wraps another one must wrap the returned store as well. Leave this method out if
   * the store has no such transactions.
   *
   * @throws TypeError if `client` cannot be the client of a transaction.
   */
  inTransaction?(client: TransactionClient): RecordStore
}

/** A connection on which the application has begun a transaction. */
export interface TransactionClient {
  /**
   * Runs one statement in the transaction. `values` are its parameters `$1`, `$2`, ...: strings,
   * numbers, bytes or null.
   * @returns The rows as objects. `text` is a string, `int4` a number and `bytea` a Uint8Array.
   */
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/**
 * The content of a blob: bytes, or chunks of them. A store returns bytes only for small contents,
 * because they are in memory at once. For 1 KB, chunks would cost more than the rest of the read.
 *
 * Chunks can be any async iterable, such as a generator, a Node stream or, where it is iterable, a
 * `ReadableStream`. They are iterated once. To release a source of chunks early, its iterator's
 * `return` is called, `destroy` of a Node stream, or `cancel` of a `ReadableStream`.
 */
export type BlobContent = Uint8Array | AsyncIterable<Uint8Array>

/** A place for immutable blobs. Each id is written once. */
export interface BlobStore {
  /**
   * Returns the content that was written under `id`, or undefined if the id does not exist. It can
   * be bytes even if it was written as chunks, and the other way round.
   */
  read(id: string): Promise<BlobContent | undefined>

  /**
   * Writes `content`, bytes or chunks, under `id`, completely or not at all. If the chunks fail,
   * the promise rejects with their error, and nothing can be read under `id`. If `id` exists, the
   * promise rejects and the existing content stays.
   */
  write(id: string, content: BlobContent): Promise<void>

  /**
   * Removes the content under `id` and everything that an unfinished `write` of it has left. Does
   * nothing if the id does not exist.
   */
  delete(id: string): Promise<void>
}

/**
 * The key of a record. Both parts are printable ASCII, at most 128 characters, and have no meaning
 * for a store.
 */
export interface RecordKey {
  readonly collection: string
  readonly id: string
}

/** A record to be stored. */
export interface RecordInput {
  readonly body: Uint8Array
  /**
   * A secondary index key: `list` finds the record by it. Any string of at most 128 characters.
   * Each `put` replaces the index key, or removes it if the record has none.
   */
  readonly indexKey?: string
}

/** A stored record. */
export interface StoredRecord {
  /** 1 or more. */
  readonly version: number
  readonly body: Uint8Array
}

/** A stored record in a list. */
export interface ListedRecord extends StoredRecord {
  readonly id: string
  /**
   * Set if a wrapping store, such as an encrypted one, cannot read the record although it has the
   * key. `body` is then empty, and the record can be replaced or deleted with `version`. If a key
   * is missing, denied or unreachable, `list` rejects instead. `get` rejects for this record with
   * an error that has the same `record`.
   */
  readonly unreadable?: DecryptionError
}

/** The page of a collection that `list` returns. */
export interface RecordQuery {
  /**
   * Restricts the list to records whose last `put` had exactly this index key. The store finds them
   * without scanning the others. Default: all records.
   */
  readonly indexKey?: string
  /** Restricts the list to ids after this one. By default it begins with the first id. */
  readonly after?: string
  /** The maximum number of records, 1 or more. */
  readonly limit: number
  /**
   * The page ends after the record whose body brings the total to this many bytes, 1 or more, and
   * includes that record. The bodies of later records are not loaded. By default bytes do not limit
   * the page.
   */
  readonly maxBytes?: number
}

/**
 * The first byte of every record that `createEncryptedStore` writes, except key rings. The records of
 * a service begin with `{`.
 */
export const envelopeFormat = 1

/** Returns true if the body of a record is encrypted. */
export function isEncrypted(body: Uint8Array): boolean {
  return body[0] === envelopeFormat
}
