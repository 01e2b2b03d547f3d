/**
 * Opens key rings with the provider, and makes keys only under a KEK that has proven to be the
 * right one.
 */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import { toBase64 } from '../../../base/base64.js'
import { concatBytes } from '../../../base/concat-bytes.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import { DecryptionError, StorageError, StorageUnavailableError } from '../../../errors.js'
import { decrypt, encrypt, nonceLength } from '../envelope/cipher.js'
import { encodeFields, fromBase64 } from '../envelope/encoding.js'
import { randomBytes } from '../envelope/record-envelope.js'
import { findProvider, type KeyProvider, withKeyTimeout } from '../providers/key-provider.js'
import {
  decodeUndamaged,
  type KeyRing,
  keyLength,
  materialLength,
  nameKeys,
  type RingContent,
  type StoredKey,
} from './key-ring.js'
import { deriveRingKey, verifyRing } from './key-ring-mac.js'
import { type OpenedRing, wipeOpened } from './opened-keys.js'
import type { RingStore } from './ring-store.js'
import { showKekId, unwrapSecret, wrapSecret } from './wrap-secret.js'

/** A ring that has keys, as it is stored. It is not authentic until it is opened. */
export interface ListedRing {
  readonly scope: string
  readonly ring: KeyRing
}

/** Opens and makes the keys of rings. Each call rejects with 503 if the provider fails. */
export interface RingOpener {
  /**
   * Returns the keys of a ring, and verifies its MAC. That takes one call to the provider.
   * @throws DecryptionError if the ring is not authentic, or the provider cannot unwrap its secret.
   */
  open(scope: string, ring: KeyRing): Promise<OpenedRing>
  /**
   * Encrypts keys with a new secret, which the current KEK of the scope's provider wraps. That
   * takes one call to the provider. If this process has not unwrapped anything of this KEK before,
   * the secret is unwrapped again. A provider with `ofScope` is always asked for that.
   * @param material The blind-index key, then the data keys in their order, 32 bytes each.
   * @throws StorageError: 503 if a call failed, otherwise `STORAGE_FAILED` (500), if there are
   * rings and none of them opens under this KEK, or if the provider does not return the same secret.
   */
  seal(
    scope: string,
    keys: readonly StoredKey[],
    material: Uint8Array,
  ): Promise<Pick<RingContent, 'kekId' | 'secret' | 'keys' | 'sealed'>>
}

/** How many rings are looked at, and how many of them are opened, to prove a KEK. */
const maxListed = 100
const maxTried = 8

/** Creates the opener of the rings in a store. */
export function createRingOpener(rings: RingStore, provider: KeyProvider): RingOpener {
  /** The KEKs with which this process has unwrapped something. */
  const proven = new Set<string>()
  const proofs = new Map<string, Promise<void>>()

  const open: RingOpener['open'] = async (scope, ring) => {
    const own = await findProvider(provider, scope)
    try {
      const secret = await unwrapSecret(own, scope, ring)
      const opened = await openWithSecret(secret, scope, ring)
      proven.add(ring.kekId)
      return opened
    } catch (error) {
      const isDenied = error instanceof DecryptionError && own.kekIds.includes(ring.kekId)
      throw isDenied ? closedRingError(scope, ring) : error
    }
  }
  /** Rejects unless rings that exist show that this is the KEK of the store, or a new one. */
  const prove = async (kekId: string): Promise<void> => {
    const found = await withKeyTimeout('the store', () => listFirstRings(rings, maxListed))
    const same = found.filter(({ ring }) => ring.kekId === kekId)
    if (same.length === 0 && (found.length === 0 || proven.size > 0)) return
    const errors: unknown[] = []
    for (const { scope, ring } of (same.length > 0 ? same : found).slice(0, maxTried)) {
      try {
        wipeOpened(await open(scope, ring))
        return
      } catch (error) {
        errors.push(error)
      }
    }
    throw unprovenError(kekId, errors)
  }
  const assertProven = async (kekId: string): Promise<void> => {
    if (proven.has(kekId)) return
    const proof = proofs.get(kekId) ?? prove(kekId).finally(() => proofs.delete(kekId))
    proofs.set(kekId, proof)
    await proof
  }

  return {
    open,
    async seal(scope, keys, material) {
      const own = await findProvider(provider, scope)
      await assertProven(own.currentKekId)
      const secret = randomBytes(keyLength)
      try {
        const wrapped = await wrapSecret(own, rings.use, scope, secret)
        if (provider.ofScope !== undefined || !proven.has(wrapped.kekId)) {
          const unwrapped = await unwrapSecret(own, scope, wrapped)
          if (!areBytesEqual(unwrapped, secret)) throw unwrapError()
          proven.add(wrapped.kekId)
        }
        const sealed = encryptKeys(secret, scope, keys, material)
        return { kekId: wrapped.kekId, secret: wrapped.secret, keys, sealed }
      } catch (error) {
        throw error instanceof DecryptionError ? unwrapError() : error
      } finally {
        secret.fill(0)
      }
    },
  }
}

/** Returns the first rings of a store that have keys. Damaged and erased ones are passed over. */
async function listFirstRings(rings: RingStore, limit: number): Promise<readonly ListedRing[]> {
  const found: ListedRing[] = []
  for await (const { id: scope, ...record } of rings.list()) {
    const ring = decodeUndamaged(record, rings.use)
    if (ring !== undefined && ring.keys.length > 0) found.push({ scope, ring })
    if (found.length === limit) break
  }
  return found
}

/** Overwrites the secret. */
async function openWithSecret(
  secret: Uint8Array,
  scope: string,
  ring: KeyRing,
): Promise<OpenedRing> {
  const material = decryptKeys(secret, scope, ring)
  const ringKey = await deriveRingKey(material)
  try {
    await verifyRing(ringKey, scope, ring)
    return { ringKey, material }
  } catch (error) {
    wipeOpened({ ringKey, material })
    throw error
  }
}

function encryptKeys(
  secret: Uint8Array,
  scope: string,
  keys: readonly StoredKey[],
  material: Uint8Array,
): string {
  const nonce = randomBytes(nonceLength)
  const ciphertext = encrypt(secret, nonce, additionalData(scope, keys), material)
  return toBase64(concatBytes([nonce, ciphertext]))
}

function decryptKeys(secret: Uint8Array, scope: string, { sealed, keys }: KeyRing): Uint8Array {
  try {
    const bytes = fromBase64(sealed)
    const nonce = bytes.subarray(0, nonceLength)
    const additional = additionalData(scope, keys)
    const material = decrypt(secret, nonce, additional, bytes.subarray(nonceLength))
    if (material.length !== materialLength(keys.length)) throw undecryptableError()
    return material
  } finally {
    secret.fill(0)
  }
}

function additionalData(scope: string, keys: readonly StoredKey[]): Uint8Array {
  return encodeFields([1, 'ring keys', scope, ...keys.map(({ id }) => id)])
}

function closedRingError(scope: string, { use, kekId }: KeyRing): DecryptionError {
  return new DecryptionError(
    `${nameKeys(use, scope)} do not open with the KEK ${showKekId(kekId)}: is it the key that they were wrapped with?`,
  )
}

function unwrapError(): StorageError {
  return new StorageError('the key provider cannot unwrap a key that it has just wrapped')
}

function unprovenError(kekId: string, errors: readonly unknown[]): StorageError {
  const message = `no keys are made under the KEK ${showKekId(kekId)}, because none of the stored key rings opens with it`
  const outage = errors.find((error) => error instanceof StorageUnavailableError)
  return outage === undefined
    ? new StorageError(message, { cause: errors[0] })
    : new StorageUnavailableError(message, { cause: outage })
}
