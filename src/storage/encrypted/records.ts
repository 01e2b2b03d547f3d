/**
 * Records that the store beneath sees only sealed.
 *
 * A record that was rewrapped is stored under a greater version than the one it was put as; its envelope says by how
 * much. Every version that goes in or out here is the one of the caller.
 */

import { DecryptionError } from '../../errors.js'
import { createPacer } from '../../pacer.js'
import type {
  ListedRecord,
  RecordInput,
  RecordKey,
  RecordQuery,
  RecordStore,
  StoredRecord,
  VaultStore,
} from '../../store.js'
import { envelopeLength, headerOf, openRecord, sealRecord } from './envelope/record-envelope.js'
import type { BlindLabel } from './keys/blind-index.js'
import type { KeyStore, MaybePromise, OpenKey } from './keys/key-store.js'
import { isPlain, type PlaintextReader } from './plaintext-records.js'
import { innerCollection, innerKey, scopeOfCollection } from './scopes.js'

/** What a sealed store stands on. */
export interface EncryptedContext extends VaultStore {
  readonly keys: KeyStore
  /** Given only as long as something may still be plain. */
  readonly plaintext: PlaintextReader | undefined
}

/** A record as its caller knows it, and what of the envelope has to last. */
export interface OpenedRecord extends StoredRecord {
  /** 16 bytes, or none. */
  readonly label: Uint8Array
  readonly shift: number
  readonly isPlain: boolean
}

const noBytes = new Uint8Array(0)

/** The records of a store whose labels and bodies are sealed. */
export function createEncryptedRecords(context: EncryptedContext): RecordStore {
  const { records, keys } = context
  return {
    async get(key) {
      const stored = await records.get(innerKey(key))
      if (stored === undefined) return undefined
      const { version, body } = await decryptRecord(context, key, stored)
      return { version, body }
    },
    async put(key, record, expectedVersion) {
      const scope = scopeOfCollection(key.collection)
      const ring = await keys.ensure(scope)
      const dataKey = await keys.current(scope, ring)
      const indexKey = await labelOf(dataKey, key.collection, record)
      return writeOver(context, key, expectedVersion, ring.shifted, (stored, shift) => {
        const content = { body: record.body, label: indexKey, shift }
        return records.put(innerKey(key), encryptRecord(key, stored + 1, dataKey, content), stored)
      })
    },
    async delete(key, expectedVersion) {
      if (expectedVersion === 0) return false
      const ring = await keys.find(scopeOfCollection(key.collection))
      const shifted = ring?.shifted ?? false
      return writeOver(context, key, expectedVersion, shifted, (stored) =>
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
  }
}

/** The record of the store beneath, as a caller of this one put it. @throws DecryptionError if it cannot be opened. */
export async function decryptRecord(
  { keys, plaintext }: EncryptedContext,
  key: RecordKey,
  { version, body }: StoredRecord,
): Promise<OpenedRecord> {
  if (plaintext !== undefined && isPlain(body))
    return { version, body, label: noBytes, shift: 0, isPlain: true }
  const header = headerOf(body)
  if (header === undefined || header.shift >= version) throw new DecryptionError()
  const { shift } = header
  const dataKey = await keys.byId(scopeOfCollection(key.collection), header.keyId)
  const row = { collection: key.collection, id: key.id, version }
  const plaintextBody = openRecord(row, dataKey, body, header)
  return {
    version: version - shift,
    body: plaintextBody,
    label: header.label,
    shift,
    isPlain: false,
  }
}

/** The record for the store beneath, as this version of it. */
export function encryptRecord(
  { collection, id }: RecordKey,
  version: number,
  dataKey: OpenKey,
  {
    body,
    label: indexKey,
    shift,
  }: { body: Uint8Array; label: BlindLabel | undefined; shift: number },
): RecordInput {
  const content = { body, label: indexKey?.bytes ?? noBytes, shift }
  const envelope = sealRecord({ collection, id, version }, dataKey, content)
  return indexKey === undefined ? { body: envelope } : { body: envelope, indexKey: indexKey.text }
}

function labelOf(
  dataKey: OpenKey,
  collection: string,
  { indexKey }: Pick<RecordInput, 'indexKey'>,
): MaybePromise<BlindLabel | undefined> {
  return indexKey === undefined ? undefined : dataKey.labelOf(collection, indexKey)
}

/**
 * Writes over the version that the caller has seen, whatever version that is beneath. In a scope that was never
 * rewrapped it is the same one, and a refusal is looked into once; else it is looked up first. A shift that was found is
 * not used before the record was opened.
 * @throws DecryptionError if the record that would be written over cannot be opened.
 */
async function writeOver(
  context: EncryptedContext,
  key: RecordKey,
  expectedVersion: number,
  hasRewraps: boolean,
  write: (stored: number, shift: number) => Promise<boolean>,
): Promise<boolean> {
  if (expectedVersion === 0) return write(0, 0)
  if (!hasRewraps && (await write(expectedVersion, 0))) return true
  for (;;) {
    const found = await context.records.get(innerKey(key))
    if (found === undefined) return false
    const claimed = headerOf(found.body)?.shift ?? 0
    if (found.version - claimed !== expectedVersion) return false
    const { shift } = await decryptRecord(context, key, found)
    if (await write(found.version, shift)) return true
  }
}

/**
 * The records of the inner store that a page is made of. Their envelopes are longer than the bodies in them, so
 * the inner page is bounded by so many more bytes that the bodies of one that ends early reach `maxBytes`.
 */
async function listInner(
  context: EncryptedContext,
  collection: string,
  outer: RecordQuery,
): Promise<readonly ListedRecord[]> {
  const { records, keys, plaintext } = context
  const { limit, maxBytes } = outer
  const page =
    maxBytes === undefined ? outer : { ...outer, maxBytes: maxBytes + limit * envelopeLength }
  const { indexKey, ...rest } = page
  const inner = innerCollection(collection)
  if (indexKey === undefined) return records.list(inner, rest)
  const plain = plaintext === undefined ? [] : await records.list(inner, page)
  const scope = scopeOfCollection(collection)
  const ring = await keys.find(scope)
  if (ring === undefined) return plain
  const { text } = await (await keys.current(scope, ring)).labelOf(collection, indexKey)
  const found = await records.list(inner, { ...rest, indexKey: text })
  return plaintext === undefined ? found : mergePages(plain, found, page.limit)
}

/** Both ascending by id; a record that was sealed in between stands in both. */
function mergePages(
  plain: readonly ListedRecord[],
  sealed: readonly ListedRecord[],
  limit: number,
): ListedRecord[] {
  const byId = new Map(
    [...plain.filter(({ body }) => isPlain(body)), ...sealed].map((row) => [row.id, row]),
  )
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit)
}
