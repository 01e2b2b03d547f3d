/**
 * Encrypts records for the inner store, and decrypts those that it returns.
 *
 * A re-encrypted record has a greater version in the inner store than for the caller. Its envelope
 * contains the difference, the re-encryption count. All versions that this store accepts or returns
 * are the caller's versions.
 */

import { undecryptableError, unreadableRecordError } from '../../base/fixed-errors.js'
import { passOnCanRollBack } from '../../base/map-store.js'
import { createPacer } from '../../base/pacer.js'
import {
  innerCollection,
  innerKey,
  kindOfCollection,
  scopeOfCollection,
} from '../../base/stored-records.js'
import { DecryptionError } from '../../errors.js'
import type {
  ListedRecord,
  RecordInput,
  RecordKey,
  RecordQuery,
  RecordStore,
  StoredRecord,
  VaultStore,
} from '../../store.js'
import {
  decryptEnvelope,
  type EnvelopeHeader,
  encryptEnvelope,
  envelopeLength,
  parseHeader,
  type RecordLocation,
} from './envelope/record-envelope.js'
import type { BlindIndex } from './keys/blind-index.js'
import type { KeyStore } from './keys/key-store.js'
import { droppedKeysError, type UnwrappedKey } from './keys/opened-keys.js'
import type { RingStore } from './keys/ring-store.js'
import { isPlaintext } from './plaintext-records.js'

/** The inner store of an encrypted store, and the keys. */
export interface EncryptedContext extends VaultStore {
  readonly keys: KeyStore
  readonly rings: RingStore
  /** False if plaintext records are rejected. */
  readonly acceptsPlaintext: boolean
}

/** A decrypted record with the caller's version, and the parts of its envelope to be kept. */
export interface DecryptedRecord extends StoredRecord {
  /** 16 bytes, or empty. */
  readonly blindIndex: Uint8Array
  /** 0 to 4,294,967,295. */
  readonly reencryptionCount: number
  readonly isPlaintext: boolean
}

/** The content of a record that is about to be encrypted. */
interface RecordContent {
  readonly body: Uint8Array
  readonly blindIndex: BlindIndex | undefined
  readonly reencryptionCount: number
}

const noBytes = new Uint8Array(0)

/** Creates the record store of an encrypted store. Index keys and bodies are encrypted. */
export function createEncryptedRecords(context: EncryptedContext): RecordStore {
  const { records, keys } = context
  return {
    async get(key) {
      const stored = await records.get(innerKey(key))
      if (stored === undefined) return undefined
      const { version, body } = await decryptRecord(context, key, stored)
      return { version, body }
    },
    async put(key, { body, indexKey }, expectedVersion) {
      const scope = scopeOfCollection(key.collection)
      const ring = await keys.ensureRing(scope)
      const currentKey = keys.currentKey(ring)
      const blindIndex =
        indexKey === undefined
          ? undefined
          : await currentKey.computeBlindIndex(key.collection, indexKey)
      const { hasReencryptions } = ring
      return writeOver(context, key, expectedVersion, hasReencryptions, async (stored, count) => {
        // Check again, because the key may have been dropped meanwhile.
        const dataKey = await keys.findKey(scope, currentKey.id)
        const content = { body, blindIndex, reencryptionCount: count }
        const record = encryptRecord(key, stored + 1, dataKey, content)
        return records.put(innerKey(key), record, stored)
      })
    },
    async delete(key, expectedVersion) {
      if (expectedVersion === 0) return false
      const ring = await keys.findRing(scopeOfCollection(key.collection))
      const hasReencryptions = ring?.hasReencryptions ?? false
      return writeOver(context, key, expectedVersion, hasReencryptions, (stored) =>
        records.delete(innerKey(key), stored),
      )
    },
    async list(collection, { after, ...page }) {
      const { limit, maxBytes = Number.POSITIVE_INFINITY } = page
      const found: ListedRecord[] = []
      const pace = createPacer()
      let bytes = 0
      for (let start = after; ; ) {
        const inner = await listInner(context, collection, {
          ...page,
          limit: limit - found.length,
          ...(page.maxBytes !== undefined && { maxBytes: page.maxBytes - bytes }),
          ...(start !== undefined && { after: start }),
        })
        for (const row of inner.rows) {
          const pause = pace(row.body.length)
          if (pause) await pause
          const record = await decryptRow(context, collection, row)
          found.push(record)
          bytes += record.body.length
          if (bytes >= maxBytes) return found
        }
        // Unreadable records have no bytes, so an inner page can be shorter than the page.
        if (inner.end === undefined || found.length === limit) return found
        start = inner.end
      }
    },
    ...passOnCanRollBack(records),
  }
}

/**
 * Returns a row of a list. If it is unreadable, its body is empty, and its version is the stored
 * one.
 */
async function decryptRow(
  context: EncryptedContext,
  collection: string,
  row: ListedRecord,
): Promise<ListedRecord> {
  const { id } = row
  try {
    const { version, body } = await decryptRecord(context, { collection, id }, row)
    return { id, version, body }
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return { id, version: row.version, body: noBytes, unreadable: error }
  }
}

function isUnreadable(error: unknown): error is DecryptionError {
  return error instanceof DecryptionError && error.record !== undefined
}

/**
 * Decrypts a record of the inner store.
 * @throws DecryptionError with `record` if the record is unreadable: the key was obtained, but the
 * record is not an envelope that was written for this collection, id and version.
 * @throws The error of the key store if the key cannot be obtained.
 */
export async function decryptRecord(
  context: EncryptedContext,
  { collection, id }: RecordKey,
  { version, body }: StoredRecord,
): Promise<DecryptedRecord> {
  const { keys, acceptsPlaintext } = context
  // The index key of any other plaintext record is unknown.
  const isAccepted = acceptsPlaintext && kindOfCollection(collection) !== undefined
  if (isAccepted && isPlaintext(body))
    return { version, body, blindIndex: noBytes, reencryptionCount: 0, isPlaintext: true }
  const location = { collection, id, version }
  const header = parseHeader(body)
  const dataKey = await findRecordKey(keys, location, body, header)
  if (header === undefined || header.reencryptionCount >= version)
    throw unreadableRecordError(location)
  const { reencryptionCount, blindIndex } = header
  return {
    version: version - reencryptionCount,
    body: decryptWithKey(location, dataKey, body, header),
    blindIndex,
    reencryptionCount,
    isPlaintext: false,
  }
}

/**
 * Returns the key of a record, or the current key of its scope if the header does not name one.
 * @throws DecryptionError with `record` if another key decrypts the record, so that only the key id
 * in its header is damaged. Otherwise a key that the ring does not have counts as missing.
 */
async function findRecordKey(
  keys: KeyStore,
  location: RecordLocation,
  body: Uint8Array,
  header: EnvelopeHeader | undefined,
): Promise<UnwrappedKey> {
  const scope = scopeOfCollection(location.collection)
  // No key has the id 0.
  if (header === undefined || header.keyId === 0) {
    const ring = await keys.findRing(scope)
    if (ring === undefined) throw undecryptableError()
    keys.currentKey(ring)
    throw unreadableRecordError(location)
  }
  try {
    return await keys.findKey(scope, header.keyId)
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    const ids = (await keys.findRing(scope))?.keys.map((key) => key.id) ?? []
    const others = ids.includes(header.keyId) ? [] : ids.filter(isOneByteFrom(header.keyId))
    for (const keyId of others)
      if (canDecrypt(location, await keys.findKey(scope, keyId), body, { ...header, keyId }))
        throw unreadableRecordError(location)
    throw error
  }
}

/** Returns a predicate for ids that differ from this one in one of their two bytes. */
function isOneByteFrom(damaged: number): (id: number) => boolean {
  return (id) => id >> 8 === damaged >> 8 || (id & 0xff) === (damaged & 0xff)
}

function canDecrypt(
  location: RecordLocation,
  key: UnwrappedKey,
  body: Uint8Array,
  header: EnvelopeHeader,
): boolean {
  try {
    decryptEnvelope(location, key, body, header)
    return true
  } catch {
    return false
  }
}

/**
 * @throws DecryptionError with `record`, or StorageUnavailableError (503) if the key has been
 * overwritten since it was obtained.
 */
function decryptWithKey(
  location: RecordLocation,
  key: UnwrappedKey,
  body: Uint8Array,
  header: EnvelopeHeader,
): Uint8Array {
  try {
    return decryptEnvelope(location, key, body, header)
  } catch {
    if (key.bytes.length === 0) throw droppedKeysError()
    throw unreadableRecordError(location)
  }
}

/** Encrypts a record for the inner store, to be stored there as `version`. */
export function encryptRecord(
  { collection, id }: RecordKey,
  version: number,
  dataKey: UnwrappedKey,
  { body, blindIndex, reencryptionCount }: RecordContent,
): RecordInput {
  const content = { body, blindIndex: blindIndex?.bytes ?? noBytes, reencryptionCount }
  const envelope = encryptEnvelope({ collection, id, version }, dataKey, content)
  return blindIndex === undefined
    ? { body: envelope }
    : { body: envelope, indexKey: blindIndex.text }
}

/**
 * Calls `write` with the version in the inner store that corresponds to `expectedVersion`, and with
 * the re-encryption count of that record. In a scope without re-encryptions both versions are the
 * same, and the record is read only if the write was rejected. Otherwise the record is read first.
 * A re-encryption count is used only after the record was decrypted.
 *
 * An unreadable record has its version in the inner store, and the record that replaces it counts no
 * re-encryptions. So its version is greater than any that a caller has seen before.
 *
 * @returns false if a different version is stored, otherwise the result of the last `write`.
 * Rejects with the error of the key store if the key of the record cannot be obtained.
 */
async function writeOver(
  context: EncryptedContext,
  key: RecordKey,
  expectedVersion: number,
  hasReencryptions: boolean,
  write: (storedVersion: number, reencryptionCount: number) => Promise<boolean>,
): Promise<boolean> {
  if (expectedVersion === 0) return write(0, 0)
  if (!hasReencryptions && (await write(expectedVersion, 0))) return true
  for (;;) {
    const found = await context.records.get(innerKey(key))
    if (found === undefined) return false
    const claimedCount = parseHeader(found.body)?.reencryptionCount ?? 0
    const possible = [found.version, found.version - claimedCount]
    if (!possible.includes(expectedVersion)) return false
    const reencryptionCount = await countReencryptions(context, key, found)
    if (found.version - reencryptionCount !== expectedVersion) return false
    if (await write(found.version, reencryptionCount)) return true
  }
}

/** Returns the re-encryption count of a record, or 0 if the record is unreadable. */
async function countReencryptions(
  context: EncryptedContext,
  key: RecordKey,
  stored: StoredRecord,
): Promise<number> {
  try {
    return (await decryptRecord(context, key, stored)).reencryptionCount
  } catch (error) {
    if (isUnreadable(error)) return 0
    throw error
  }
}

/** The records of the inner store that make up a page, or the first part of one. */
interface InnerPage {
  readonly rows: readonly ListedRecord[]
  /** The id after which the page continues. Undefined if no more records match. */
  readonly end: string | undefined
}

/**
 * Returns the records of the inner store that make up a page. Envelopes are longer than the bodies
 * in them, so `maxBytes` of the inner page is larger. If an inner page ends early, its bodies
 * therefore reach the caller's `maxBytes`, unless some are unreadable.
 */
async function listInner(
  context: EncryptedContext,
  collection: string,
  query: RecordQuery,
): Promise<InnerPage> {
  const { records, keys, acceptsPlaintext } = context
  const { limit, maxBytes } = query
  const page =
    maxBytes === undefined ? query : { ...query, maxBytes: maxBytes + limit * envelopeLength }
  const { indexKey, ...rest } = page
  const inner = innerCollection(collection)
  const list = async (innerQuery: RecordQuery): Promise<InnerPage> => {
    const rows = await records.list(inner, innerQuery)
    return { rows, end: endOf(rows, innerQuery) }
  }
  if (indexKey === undefined) return list(rest)
  const plaintext = acceptsPlaintext ? await list(page) : emptyPage
  const scope = scopeOfCollection(collection)
  let ring = await keys.findRing(scope)
  if (ring === undefined) {
    const [first] = await records.list(inner, { limit: 1 })
    if (first === undefined || isPlaintext(first.body)) return plaintext
    // The ring may have been created in between. Otherwise it is missing.
    ring = await keys.findRing(scope)
    if (ring === undefined) throw undecryptableError()
  }
  const dataKey = keys.currentKey(ring)
  const { text } = await dataKey.computeBlindIndex(collection, indexKey)
  const found = await list({ ...rest, indexKey: text })
  return acceptsPlaintext ? mergePages(plaintext, found, limit) : found
}

const emptyPage: InnerPage = { rows: [], end: undefined }

/** Returns the last id of a page that may not be the last one, as `RecordStore.list` says. */
function endOf(
  rows: readonly ListedRecord[],
  { limit, maxBytes = Number.POSITIVE_INFINITY }: RecordQuery,
): string | undefined {
  const bytes = rows.reduce((sum, { body }) => sum + body.length, 0)
  return rows.length < limit && bytes < maxBytes ? undefined : rows.at(-1)?.id
}

/**
 * Merges two ascending pages, up to the end of the one that ends first. A record that was encrypted
 * in between is in both.
 */
function mergePages(plaintext: InnerPage, encrypted: InnerPage, limit: number): InnerPage {
  const ends = [plaintext.end, encrypted.end].filter((end) => end !== undefined).sort()
  const [end] = ends
  const byId = new Map(
    [...plaintext.rows.filter(({ body }) => isPlaintext(body)), ...encrypted.rows].map((row) => [
      row.id,
      row,
    ]),
  )
  const rows = [...byId.values()]
    .filter(({ id }) => end === undefined || id <= end)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  if (rows.length <= limit) return { rows, end }
  const kept = rows.slice(0, limit)
  return { rows: kept, end: kept.at(-1)?.id }
}
