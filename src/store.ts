/**
 * The interface between a vault service and the database it uses: a map from keys to versioned
 * bytes, written by compare-and-swap, and a place for immutable blobs.
 *
 * A store does not look inside what it stores. The bytes of a record, and those of a blob that are
 * no chunks, are never modified after they were passed in or returned, so they need not be
 * copied. Chunks belong to their receiver.
 * A rejected promise leaves open whether a write happened. A store that is locked, full or
 * unreachable rejects, and never returns a guess.
 *
 * Implementors run `recordStoreContract` and `blobStoreContract` of `cofferkit/testing` against
 * their store. `docs/writing-a-store.md` explains each guarantee.
 */

import type { DecryptionError } from './errors.js'

/** The two halves of a store. They can use different databases. */
export interface VaultStore {
  /** Vaults, items and everything else that is one record. */
  readonly records: RecordStore
  /** The contents of files. */
  readonly blobs: BlobStore
}

/** The settings of a database server. */
export interface ServerSettings {
  /** The time of its clock. */
  readonly now: Date
  /** The settings that decide what survives a crash, by their names. */
  readonly values: Readonly<Record<string, string>>
}

/** A store on a database server. */
export interface ServerStore extends VaultStore {
  /** Reads the settings. `npx cofferkit doctor` checks them. Rejects with a StorageError. */
  readSettings(): Promise<ServerSettings>
}

/** The check that a service asks of a store with keys, such as an encrypted one. */
export interface StoreHealth {
  /**
   * Rejects if this process cannot use what is stored, although its calls may still succeed with the
   * keys that it has in memory.
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
   * Version 0 means that no record is stored. Comparing and writing are one atomic step, also
   * between processes.
   *
   * @returns true if the record was written, and only after it would survive whatever the store
   * promises to survive; false if the stored version is another one. A rejection leaves open
   * whether the record was written.
   */
  put(key: RecordKey, record: RecordInput, expectedVersion: number): Promise<boolean>

  /**
   * Removes the record if the stored version is `expectedVersion`. Nothing of it remains: the next
   * record under this key begins at version 1.
   *
   * @returns true if the record was removed; false if the stored version is another one, and always
   * if `expectedVersion` is 0. A rejection leaves open whether the record was removed.
   */
  delete(key: RecordKey, expectedVersion: number): Promise<boolean>

  /**
   * Returns one page of the records of `collection`, ascending by the UTF-8 bytes of their ids. A
   * page with fewer than `limit` records, whose bodies together have fewer than `maxBytes` bytes,
   * is the last one. The page is empty if no record matches.
   */
  list(collection: string, page: RecordQuery): Promise<readonly ListedRecord[]>

  /**
   * Resolves with true if the client is in a transaction, which can still roll back what a call
   * just before this one has written or read. An encrypted store asks this before it uses keys that
   * are new to its process, and before it erases those of a deleted vault. It rejects the call if the
   * keys, or the deletion, could be rolled back.
   *
   * A store leaves it out if its writes can never be part of a transaction of the application. A
   * store that cannot find out leaves it out as well, and says so in its documentation.
   */
  canRollBack?(): Promise<boolean>

  /**
   * Returns a store of the same records whose calls are part of a transaction that the application
   * has begun on `client`: they commit or roll back with it. Its calls are as those of this store,
   * except that:
   *
   * - a record of the collection `vaults` that its `get` returns stays as it is until the transaction
   *   ends: what others write to it waits
   * - a call rejects with a ConflictError if the transaction has lost against a concurrent one and
   *   must be begun again. The `code` of its `cause` is that of the database
   *
   * A wrapper passes on what it does to records. A store that has no such transactions leaves this
   * out.
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
 * The content of a blob: bytes, or chunks of them. Bytes are in memory as a whole, so a store
 * returns them only for small contents. For 1 KB, chunks cost more than the rest of the read.
 *
 * Chunks can be any async iterable, such as a generator, a stream of Node or, where it is iterable, a
 * `ReadableStream`. They are iterated once. A source of chunks is released by `return` of its
 * iterator; a stream of Node by `destroy`, and a `ReadableStream` by `cancel`.
 */
export type BlobContent = Uint8Array | AsyncIterable<Uint8Array>

/** A place for immutable blobs. Each id is written once. */
export interface BlobStore {
  /**
   * Returns the content that was written under `id`, or undefined if the id does not exist. Whether
   * it is bytes or chunks does not depend on how it was written.
   */
  read(id: string): Promise<BlobContent | undefined>

  /**
   * Writes the whole of `content`, bytes or chunks, under `id`, or nothing. If the chunks fail, the
   * promise rejects with their error, and nothing can be read under `id`. Rejects if `id` exists,
   * and leaves the existing content unchanged.
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
   * A secondary index key: `list` finds the record by it. Any text of at most 128 characters. A
   * record has only the index key of its last `put`, if that had one.
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
   * Set only by a store that wraps another one, such as an encrypted store, for a record that it
   * cannot read although it has the key. `body` is empty then, and `version` is the one with which
   * the record can be replaced or deleted. If a key is missing, denied or out of reach, `list`
   * rejects instead. The error that `get` rejects with for this record has the same `record`.
   */
  readonly unreadable?: DecryptionError
}

/** The page of a collection that `list` returns. */
export interface RecordQuery {
  /**
   * Restricts the list to records whose last `put` had exactly this index key. They are found
   * without a scan of the others. All records if absent.
   */
  readonly indexKey?: string
  /** Restricts the list to ids after this one. From the first id if absent. */
  readonly after?: string
  /** The maximum number of records, 1 or more. */
  readonly limit: number
  /**
   * The page ends with the record with which the bodies together reach this many bytes, 1 or more.
   * Bodies of later records are not loaded. A page has at least one record if one matches. If
   * absent, bytes do not limit the page.
   */
  readonly maxBytes?: number
}

/** The collection of the records of vaults. */
export const vaultCollection = 'vaults'

/**
 * Returns the body that replaces the record of a deleted vault in the collection `vaults`: exactly
 * `{"id":"…","deleted":true}`.
 */
export function toDeletedVault(vaultId: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ id: vaultId, deleted: true }))
}

/**
 * Returns true if the body of a record in the collection `vaults` says that this vault was deleted.
 * The body is not parsed.
 */
export function isDeletedVault(body: Uint8Array, vaultId: string): boolean {
  // Longer than that are the records of vaults that exist.
  if (body.length > 64) return false
  const deleted = toDeletedVault(vaultId)
  return body.length === deleted.length && deleted.every((byte, index) => byte === body[index])
}

/**
 * The first byte of every record that `createEncryptedStore` writes, except key rings. The records of
 * a service begin with `{`.
 */
export const envelopeFormat = 1

/** The collection in which `createEncryptedStore` keeps key rings. No other record is in it. */
export const ringCollection = 'keys'

/** Returns true if the body of a record is encrypted. */
export function isEncrypted(body: Uint8Array): boolean {
  return body[0] === envelopeFormat
}
