/**
 * What a store promises: a map from keys to versioned bytes that never replaces what its caller has not seen, and a
 * place for immutable contents.
 *
 * A store looks inside nothing it keeps. Bytes of records that were handed in or out are changed by nobody any more, so
 * they need not be copied; chunks of contents belong to who receives them. A promise that rejects leaves open whether a write happened; a store that
 * is locked, full or out of reach rejects, and never answers as if it knew.
 *
 * Implementors run `recordStoreContract` and `blobStoreContract` of `cofferkit/testing` against theirs.
 */

/** The two halves a vault service stands on. They may live in different places. */
export interface VaultStore {
  /** Vaults and items, each one record. */
  readonly records: RecordStore
  /** Contents of files. */
  readonly blobs: BlobStore
}

/** A map from keys to versioned bytes. */
export interface RecordStore {
  /** The record stored under `key` now, or undefined if there is none. A resolved `put` is seen by every later `get`. */
  get(key: RecordKey): Promise<StoredRecord | undefined>

  /**
   * Writes `record` as version `seen + 1` if version `seen` is what is stored now, and resolves with whether it did.
   * Version 0 is an empty place. Comparing and writing are one step, also between processes. It resolves with true
   * only after the record would survive what the store promises to survive.
   * A rejection leaves open whether the record was written.
   */
  put(key: RecordKey, record: RecordInput, expectedVersion: number): Promise<boolean>

  /**
   * Removes the record if version `seen` is what is stored now, and resolves with whether it did.
   * The place is empty afterwards, as if nothing had ever been there.
   * A rejection leaves open whether the record was removed.
   */
  delete(key: RecordKey, expectedVersion: number): Promise<boolean>

  /**
   * At most `limit` records of `collection`, ascending by id in the order of their UTF-8 bytes, and only ids after
   * `after` when it is given. With `label`, only records that were last written with exactly that label, found without
   * a walk over the others. With `maxBytes`, the page ends after the record with which the bodies together reach so
   * many bytes; bodies of later records are not loaded. A page that has neither `limit` records nor `maxBytes` bytes is
   * the last one. Empty if there are none.
   */
  list(collection: string, page: RecordQuery): Promise<readonly ListedRecord[]>
}

/** Immutable contents; an id is written once. */
export interface BlobStore {
  /** The content written under `id`, or undefined if there is none. */
  read(id: string): Promise<ReadableStream<Uint8Array> | undefined>

  /**
   * Writes the whole of `content` under `id`, or nothing: when the stream fails, the promise rejects with the stream's
   * error and nothing can be read under `id`. An id that is taken rejects and leaves what is there.
   */
  write(id: string, content: ReadableStream<Uint8Array>): Promise<void>

  /** Removes the content under `id`; does nothing if there is none. */
  delete(id: string): Promise<void>
}

/** Where a record lies. Both parts are printable ASCII, at most 128 characters, and carry no meaning for a store. */
export interface RecordKey {
  readonly collection: string
  readonly id: string
}

/** A record as it is handed in. */
export interface RecordInput {
  readonly body: Uint8Array
  /** Under which the record can be found again, at most 128 characters; none if absent. */
  readonly indexKey?: string
}

/** A record as it is stored. */
export interface StoredRecord {
  /** 1 or more. */
  readonly version: number
  readonly body: Uint8Array
}

/** A record as it is listed. */
export interface ListedRecord extends StoredRecord {
  readonly id: string
}

/** Which part of a collection is wanted. */
export interface RecordQuery {
  readonly indexKey?: string
  readonly after?: string
  /** 1 or more. */
  readonly limit: number
  /** 1 or more; the page is not bounded by bytes if absent. A page holds at least one record if there is one. */
  readonly maxBytes?: number
}
