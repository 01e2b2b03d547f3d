/**
 * Inspects the inner store of an encrypted store: what is encrypted, and with which keys. Nothing
 * is decrypted.
 */

import { anyStore, like } from '../../base/argument.js'
import {
  collectionsOf,
  keyRingRecords,
  listStoreScopes,
  vaultRecords,
} from '../../base/stored-records.js'
import { DecryptionError } from '../../errors.js'
import type { RecordStore } from '../../store.js'
import { decodeUndamaged, type StoredKey, vaultRings } from './keys/key-ring.js'
import { listRings } from './keys/ring-store.js'
import { unwrapSecret } from './keys/wrap-secret.js'
import { listInnerRecords } from './list-scopes.js'
import { isPlaintext } from './plaintext-records.js'
import { findProvider, type KeyProvider, keyProvider } from './providers/key-provider.js'

/**
 * Whether a store contains encrypted and plaintext records of a vault service. Both can be true.
 */
export interface RecordForms {
  /** True if an encrypted record or a key ring was found. */
  readonly encrypted: boolean
  /** True if a plaintext record was found. */
  readonly plaintext: boolean
}

/** The keys of a scope, as they are stored. */
export interface StoredKeyRing {
  /** A vault's id, `vaults` for the vault records, `activity`, or `leases`. */
  readonly scope: string
  /** The id of the KEK that wraps the secret. Undefined if the ring was erased or is damaged. */
  readonly kekId: string | undefined
  /** The wrapped secret in base64. Undefined if the ring was erased or is damaged. */
  readonly secret: string | undefined
  /**
   * The data keys, in ascending order of their ids. New records are encrypted with the last one.
   * Empty if the keys were erased, undefined if the record is damaged.
   */
  readonly keys: readonly StoredKey[] | undefined
}

const sampleSize = 100
const sampleBytes = 4_194_304

/**
 * Tells whether a store contains encrypted records, plaintext records, or both. It reads one key
 * ring and the records of up to 100 vaults, but not their items. If the store is empty, both
 * members are false.
 * @param inner The records of the store that you pass, or will pass, to `createEncryptedStore`.
 * @returns A promise that rejects with the error of the store, and with a TypeError if `inner` is
 * not a record store.
 */
export async function detectEncryption(inner: RecordStore): Promise<RecordForms> {
  like(anyStore.records)(inner, 'inner')
  const sample = { limit: sampleSize, maxBytes: sampleBytes }
  const vaults = await inner.list(vaultRecords.collection, sample)
  const rings = await inner.list(keyRingRecords.collection, { limit: 1 })
  return {
    encrypted: rings.length > 0 || vaults.some(({ body }) => !isPlaintext(body)),
    plaintext: vaults.some(({ body }) => isPlaintext(body)),
  }
}

/**
 * Counts the records of a vault service that are not encrypted. It reads all records. To encrypt
 * them, call `reencrypt` of an encrypted store with `acceptsPlaintext`.
 * @param inner The records of the store that you pass, or will pass, to `createEncryptedStore`.
 * @returns A promise that rejects with the error of the store, and with a TypeError if `inner` is
 * not a record store.
 */
export async function countPlaintextRecords(inner: RecordStore): Promise<number> {
  like(anyStore.records)(inner, 'inner')
  let count = 0
  const countIn = async (collection: string): Promise<void> => {
    for await (const { body } of listInnerRecords(inner, collection)) if (isPlaintext(body)) count++
  }
  const countOf = async (scope: string): Promise<void> => {
    for (const collection of collectionsOf(scope)) await countIn(collection)
  }
  for (const scope of listStoreScopes()) await countOf(scope)
  for await (const { id } of listInnerRecords(inner, vaultRecords.collection)) await countOf(id)
  return count
}

/**
 * Yields every key ring of a store, in ascending order of scopes. A ring tells which scope has
 * keys, when each key was made, and which KEK wraps its secret. The rings are not verified, so anyone who
 * can write to the store may have changed them.
 *
 * @param keyRings The records of the inner store, or the option `keyRings` of `createEncryptedStore`.
 * @returns An iterator that throws the error of the store, and a StorageError (`STORAGE_FAILED`, 500)
 * if its list is out of order.
 * @throws TypeError if `keyRings` is not a record store.
 *
 * @example
 * ```ts
 * import { listKeyRings } from 'cofferkit/encrypted'
 * import { openSqliteStore } from 'cofferkit/sqlite'
 *
 * // How many scopes still need each KEK
 * const scopes: Record<string, number> = {}
 * const inner = await openSqliteStore('vault.db')
 * for await (const { kekId } of listKeyRings(inner.records))
 *   if (kekId !== undefined) scopes[kekId] = (scopes[kekId] ?? 0) + 1
 * ```
 */
export function listKeyRings(keyRings: RecordStore): AsyncGenerator<StoredKeyRing> {
  like(anyStore.records)(keyRings, 'keyRings')
  return decodeRings(keyRings)
}

async function* decodeRings(keyRings: RecordStore): AsyncGenerator<StoredKeyRing> {
  for await (const record of listRings(keyRings, vaultRings)) {
    const ring = decodeUndamaged(record, vaultRings)
    const { kekId, secret, keys } = ring ?? {}
    yield { scope: record.id, kekId: kekId || undefined, secret: secret || undefined, keys }
  }
}

/**
 * Returns true if the provider unwraps the secret of a stored ring, and false if the provider does
 * not have its KEK, or the ring is damaged or was erased. The unwrapped secret is overwritten.
 *
 * @param provider The key provider, whose `ofScope` is used if it has one.
 * @returns A promise that rejects with a StorageError: `STORAGE_UNAVAILABLE` (503) if the provider
 * fails or does not settle within 10 s, `STORAGE_FAILED` (500) if it returns no bytes. Rejects with a
 * TypeError or a RangeError if `provider` is not a key provider, and with a TypeError if `ring` has
 * the wrong type.
 */
export async function canUnwrap(provider: KeyProvider, ring: StoredKeyRing): Promise<boolean> {
  keyProvider(provider, 'provider')
  like({ scope: '' })(ring, 'ring')
  const { scope, kekId, secret } = ring
  if (kekId === undefined || secret === undefined) return false
  like({ kekId: '', secret: '' })({ kekId, secret }, 'ring')
  try {
    const own = await findProvider(provider, scope)
    const unwrapped = await unwrapSecret(own, scope, { use: vaultRings, kekId, secret })
    unwrapped.fill(0)
    return true
  } catch (error) {
    if (error instanceof DecryptionError) return false
    throw error
  }
}
