/**
 * Encrypts records for the inner store, and decrypts those that it returns.
 *
 * A re-encrypted record has a greater version in the inner store than for the caller. Its envelope
 * contains the difference, the re-encryption count. All versions that this store accepts or returns
 * are those of the caller.
 */

import { createPacer } from '../../base/pacer.js'
import { passOnCanRollBack } from '../../base/pass-on-can-roll-back.js'
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
  encryptEnvelope,
  envelopeLength,
  parseHeader,
} from './envelope/record-envelope.js'
import type { BlindIndex } from './keys/blind-index.js'
import type { KeyStore } from './keys/key-store.js'
import type { UnwrappedKey } from './keys/loaded-ring.js'
import type { RingStore } from './keys/ring-store.js'
import { isPlaintext, type PlaintextReader } from './plaintext-records.js'
import { innerCollection, innerKey, scopeOfCollection } from './scopes.js'

/** The inner store of an encrypted store, and the keys. */
export interface EncryptedContext extends VaultStore {
  readonly keys: KeyStore
  readonly rings: RingStore
  /** Undefined if plaintext records are rejected. */
  readonly plaintextReader: PlaintextReader | undefined
}

/** A decrypted record with the version of the caller, and the parts of its envelope to be kept. */
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
      const currentKey = await keys.currentKey(scope, ring)
      const blindIndex =
        indexKey === undefined
          ? undefined
          : await currentKey.computeBlindIndex(key.collection, indexKey)
      const { hasReencryptions } = ring
      return writeOver(context, key, expectedVersion, hasReencryptions, async (stored, count) => {
        // Again: the key can have been dropped meanwhile.
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
    async list(collection, page) {
      const { maxBytes = Number.POSITIVE_INFINITY } = page
      const found: ListedRecord[] = []
      const pace = createPacer()
      let bytes = 0
      for (const row of await listInner(context, collection, page)) {
        const pause = pace(row.body.length)
        if (pause) await pause
        const { version, body } = await decryptRecord(context, { collection, id: row.id }, row)
        found.push({ id: row.id, version, body })
        bytes += body.length
        if (bytes >= maxBytes) break
      }
      return found
    },
    ...passOnCanRollBack(records),
  }
}

/**
 * Decrypts a record of the inner store.
 * @throws DecryptionError if it is not an envelope that was written for this collection, id and
 * version.
 */
export async function decryptRecord(
  { keys, plaintextReader }: EncryptedContext,
  key: RecordKey,
  { version, body }: StoredRecord,
): Promise<DecryptedRecord> {
  if (plaintextReader !== undefined && isPlaintext(body))
    return { version, body, blindIndex: noBytes, reencryptionCount: 0, isPlaintext: true }
  const header = parseHeader(body)
  if (header === undefined || header.reencryptionCount >= version) throw new DecryptionError()
  const { reencryptionCount, blindIndex } = header
  const dataKey = await keys.findKey(scopeOfCollection(key.collection), header.keyId)
  const location = { collection: key.collection, id: key.id, version }
  return {
    version: version - reencryptionCount,
    body: decryptEnvelope(location, dataKey, body, header),
    blindIndex,
    reencryptionCount,
    isPlaintext: false,
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
 * Calls `write` with the version that `expectedVersion` has in the inner store, and with the
 * re-encryption count of that record. In a scope without re-encryptions both versions are the same,
 * and the record is read only if the write was rejected. Otherwise the record is read first. A
 * re-encryption count is not used before the record was decrypted.
 *
 * @returns false if another version is stored, else the result of the last `write`.
 * @throws DecryptionError if the record to be replaced or removed was read and cannot be decrypted.
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
    if (found.version - claimedCount !== expectedVersion) return false
    const { reencryptionCount } = await decryptRecord(context, key, found)
    if (await write(found.version, reencryptionCount)) return true
  }
}

/**
 * Returns the records of the inner store that make up a page. Envelopes are longer than the bodies
 * in them, so `maxBytes` of the inner page is larger: the bodies of an inner page that ends early
 * still reach the `maxBytes` of the caller.
 */
async function listInner(
  context: EncryptedContext,
  collection: string,
  query: RecordQuery,
): Promise<readonly ListedRecord[]> {
  const { records, keys, plaintextReader } = context
  const { limit, maxBytes } = query
  const page =
    maxBytes === undefined ? query : { ...query, maxBytes: maxBytes + limit * envelopeLength }
  const { indexKey, ...rest } = page
  const inner = innerCollection(collection)
  if (indexKey === undefined) return records.list(inner, rest)
  const plaintext = plaintextReader === undefined ? [] : await records.list(inner, page)
  const scope = scopeOfCollection(collection)
  const ring = await keys.findRing(scope)
  if (ring === undefined) return plaintext
  const dataKey = await keys.currentKey(scope, ring)
  const { text } = await dataKey.computeBlindIndex(collection, indexKey)
  const found = await records.list(inner, { ...rest, indexKey: text })
  return plaintextReader === undefined ? found : mergePages(plaintext, found, page.limit)
}

/** Merges two ascending pages. A record that was encrypted in between is in both. */
function mergePages(
  plaintext: readonly ListedRecord[],
  encrypted: readonly ListedRecord[],
  limit: number,
): ListedRecord[] {
  const byId = new Map(
    [...plaintext.filter(({ body }) => isPlaintext(body)), ...encrypted].map((row) => [
      row.id,
      row,
    ]),
  )
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit)
}
