/** The keys of all scopes: created on first use, unwrapped once, and read again after a minute. */

import { DecryptionError, StorageError } from '../../../errors.js'
import type { RecordInput, RecordStore } from '../../../store.js'
import { randomBytes } from '../envelope/record-envelope.js'
import { type KeyProvider, withKeyTimeout } from '../providers/key-provider.js'
import { currentKey, type RingContent, toRingRecordKey, type WrappedKey } from './key-ring.js'
import { deriveRingKey, encodeAuthenticatedRing } from './key-ring-mac.js'
import {
  type LoadedRing,
  type MaybePromise,
  toUnwrappedKey,
  type UnwrappedKey,
  unwrapKeyOfRing,
} from './loaded-ring.js'
import { createLoadingCache } from './loading-cache.js'
import { createRingReader, type SeenRing } from './ring-reader.js'
import { keyMaterialLength, wrapKey } from './wrap-key.js'

/** Milliseconds until this process sees a change of a ring by another one. */
const maxRingAgeMs = 60_000
/** The maximum number of scopes whose keys are cached. */
const maxCachedRings = 4096

/**
 * The keys of an encrypted store. Every method rejects with:
 *
 * - the error of the inner store, unchanged
 * - a StorageError (`STORAGE_UNAVAILABLE`, 503) if the provider fails, or if a call of the provider
 *   or of the store has not settled after 10 s. The next call then makes a new one
 * - a DecryptionError if the ring is not authentic
 * - a StorageError (`STORAGE_FAILED`, 500) if the ring was deleted, or is older than one that this
 *   process has read
 */
export interface KeyStore {
  /** Returns the scope's ring, at most a minute old, or undefined if it does not exist. */
  findRing(scope: string): MaybePromise<LoadedRing | undefined>
  /** Returns the scope's ring, and creates it if it does not exist. */
  ensureRing(scope: string): MaybePromise<LoadedRing>
  /**
   * Returns the key with which new records are encrypted.
   * @throws DecryptionError if it cannot be unwrapped.
   */
  currentKey(scope: string, ring: LoadedRing): MaybePromise<UnwrappedKey>
  /**
   * Returns the key with this id. The ring is read again if the cached one does not contain it,
   * because another process can have created it.
   * @throws DecryptionError if it does not exist or cannot be unwrapped.
   */
  findKey(scope: string, keyId: number): MaybePromise<UnwrappedKey>
  /**
   * Replaces the content of the scope's ring with the result of `change`, by compare-and-swap.
   * `change` is called again on conflict. Rejects with a RangeError if the ring does not exist.
   * @returns true if the ring was replaced, false if `change` returned undefined.
   */
  updateRing(
    scope: string,
    change: (ring: LoadedRing) => Promise<RingContent | undefined>,
  ): Promise<boolean>
  /** Overwrites all keys. No other method must be called after that. */
  wipe(): void
}

/**
 * Creates the key store of an encrypted store. Each ring is one record of the inner store, in the
 * collection `keys`.
 */
export function createKeyStore(records: RecordStore, provider: KeyProvider): KeyStore {
  const seenRings = new Map<string, SeenRing>()
  const rings = createLoadingCache(createRingReader(records, provider, seenRings), {
    maxAgeMs: maxRingAgeMs,
    maxEntries: maxCachedRings,
  })
  const inFlight = new Map<string, Promise<LoadedRing>>()

  const putRing = (scope: string, ring: RecordInput, expectedVersion: number): Promise<boolean> =>
    withKeyTimeout('the store', () => records.put(toRingRecordKey(scope), ring, expectedVersion))

  const createRing = async (scope: string): Promise<LoadedRing> => {
    const found = await rings.get(scope)
    if (found !== undefined) return found
    const material = randomBytes(keyMaterialLength)
    const keys = [await wrapKey(provider, scope, 1, material)]
    const ringKey = await deriveRingKey(material)
    const content = { hasReencryptions: false, keys }
    await putRing(scope, await encodeAuthenticatedRing(ringKey, scope, 1, content), 0)
    // Read again: a concurrent writer can have won.
    const ring = await rings.load(scope)
    if (ring === undefined) throw new StorageError('the keys of the scope are gone')
    return ring
  }

  const unwrap = (scope: string, ring: LoadedRing, key: WrappedKey): MaybePromise<UnwrappedKey> => {
    const { unwrappedKeys } = ring
    const known = unwrappedKeys.get(key.id)
    if (known !== undefined) return known
    const unwrapping = unwrapKeyOfRing(provider, scope, ring, key).then((material) =>
      toUnwrappedKey(key, material),
    )
    unwrappedKeys.set(key.id, unwrapping)
    unwrapping.then(
      (unwrappedKey) => unwrappedKeys.set(key.id, unwrappedKey),
      () => unwrappedKeys.delete(key.id),
    )
    return unwrapping
  }

  const loadKey = async (scope: string, keyId: number): Promise<UnwrappedKey> => {
    for (const readRing of [rings.get, rings.load]) {
      const ring = await readRing(scope)
      const key = ring?.keys.find(({ id }) => id === keyId)
      if (ring !== undefined && key !== undefined) return unwrap(scope, ring, key)
    }
    throw new DecryptionError()
  }

  return {
    findRing: rings.get,
    ensureRing(scope) {
      const known = rings.peek(scope) ?? inFlight.get(scope)
      if (known !== undefined) return known
      const creating = createRing(scope).finally(() => inFlight.delete(scope))
      inFlight.set(scope, creating)
      return creating
    },
    currentKey: (scope, ring) => unwrap(scope, ring, currentKey(ring)),
    findKey: (scope, keyId) => rings.peek(scope)?.unwrappedKeys.get(keyId) ?? loadKey(scope, keyId),
    async updateRing(scope, change) {
      for (;;) {
        const ring = await rings.load(scope)
        if (ring === undefined) throw new RangeError('scopes must contain only scopes with keys')
        const content = await change(ring)
        if (content === undefined) return false
        const version = ring.version + 1
        const changed = await encodeAuthenticatedRing(ring.ringKey, scope, version, content)
        const isDone = await putRing(scope, changed, ring.version)
        await rings.load(scope)
        if (isDone) return true
      }
    },
    wipe() {
      for (const { ringKey, unwrappedKeys } of rings.clear()) {
        ringKey.fill(0)
        // A key that is still being unwrapped is rejected, because it has another ring key now.
        for (const key of unwrappedKeys.values()) if (!(key instanceof Promise)) key.wipe()
      }
      for (const { ringKey } of seenRings.values()) ringKey.fill(0)
      seenRings.clear()
    },
  }
}
