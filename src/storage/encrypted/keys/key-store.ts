/** The keys of an encrypted store: creates, changes and erases key rings. */

import { undecryptableError } from '../../../base/fixed-errors.js'
import { randomBytes } from '../envelope/record-envelope.js'
import { findProvider, type KeyProvider } from '../providers/key-provider.js'
import {
  currentKey,
  isErased,
  isTimeOfKey,
  missingKeysError,
  type RingContent,
  type WrappedKey,
} from './key-ring.js'
import { deriveRingKey, encodeAuthenticatedRing } from './key-ring-mac.js'
import type { RingStore } from './ring-store.js'
import type { OpenRing } from './scope-entry.js'
import { createScopeKeys } from './scope-keys.js'
import type { MaybePromise, UnwrappedKey } from './unwrapped-key.js'
import { dataKeyLength, keyMaterialLength, withNewDataKey, wrapKey } from './wrap-key.js'

/**
 * The keys of an encrypted store. Every method rejects with
 * - the error of the inner store, unchanged
 * - a StorageError (`STORAGE_UNAVAILABLE`, 503) if the provider fails, if a call to the provider or
 *   the store has not settled after 10 s, or if the keys are dropped before a call could use them.
 *   The next call then tries again
 * - a DecryptionError if the ring is not authentic
 * - a StorageError (`STORAGE_FAILED`, 500) if the ring was deleted or erased, is older than one
 *   that this process has read, or is not where rings are stored
 */
export interface KeyStore {
  /**
   * Returns the time for a key that is made now. If the clock is before 1970, it counts as 1970,
   * because a ring with an earlier time would be rejected.
   */
  readClock(): number
  /** Returns the scope's ring, at most a minute old, or undefined if it does not exist. */
  findRing(scope: string): MaybePromise<OpenRing | undefined>
  /** Reads the scope's ring from the store, even if it is cached. */
  readRing(scope: string): Promise<OpenRing | undefined>
  /** Returns the scope's ring, and creates it if it does not exist. */
  ensureRing(scope: string): MaybePromise<OpenRing>
  /**
   * Returns the key with which new records are encrypted.
   * @throws DecryptionError if it cannot be unwrapped.
   */
  currentKey(ring: OpenRing): MaybePromise<UnwrappedKey>
  /**
   * Returns the key with this id. If the cached ring does not contain it, the ring is read again,
   * because another process may have added it.
   * @throws DecryptionError if it does not exist or cannot be unwrapped.
   */
  findKey(scope: string, keyId: number): MaybePromise<UnwrappedKey>
  /**
   * Replaces the content of the scope's ring with the result of `change`, by compare-and-swap. On
   * conflict, `change` is called again. Rejects with a RangeError if the ring does not exist.
   * @returns true if the ring was replaced, false if `change` returned undefined.
   */
  updateRing(
    scope: string,
    change: (ring: OpenRing) => Promise<RingContent | undefined>,
  ): Promise<boolean>
  /**
   * Replaces the scope's ring with one that says that its keys were erased, and drops the keys. The
   * provider may be unreachable. `assertErasable` is called after the ring was read, and can
   * reject. If the ring changes after that, it is read again, and `assertErasable` is called again.
   * @returns false if the keys had been erased before, undefined if the ring does not exist.
   */
  eraseRing(scope: string, assertErasable: () => Promise<void>): Promise<boolean | undefined>
  /**
   * Reads from the store, even if something is cached, whether the keys of the scope were erased.
   * If so, rejects and drops the keys.
   */
  assertNotErased(scope: string): Promise<void>
  /**
   * Drops the keys of the scope, and forgets that the provider has rejected them. The next call asks
   * the provider again, and does not wait for a call that has begun before.
   */
  forget(scope: string): void
  /** Does the same for every scope. */
  forgetAll(): void
  /** Overwrites all keys. After that, only `findKey` may be called, and it rejects with 503. */
  wipe(): void
}

/**
 * Creates the key store of an encrypted store.
 * @param now The clock of the keys that it makes, in milliseconds since 1970.
 */
export function createKeyStore(
  rings: RingStore,
  provider: KeyProvider,
  maxKeyAgeMs = Number.POSITIVE_INFINITY,
  now = () => Date.now(),
): KeyStore {
  const scopeKeys = createScopeKeys(rings, provider, maxKeyAgeMs)
  const creations = new Map<string, Promise<OpenRing>>()

  const readClock = (): number => {
    const time = Math.trunc(now())
    return isTimeOfKey(time) ? time : 0
  }
  const createRing = async (scope: string): Promise<OpenRing> => {
    const found = await scopeKeys.find(scope)
    if (found !== undefined) return found
    const material = randomBytes(keyMaterialLength)
    const materials = rings.use.hasNext ? [material, withNewDataKey(material)] : [material]
    const own = await findProvider(provider, scope)
    const made = readClock()
    const wrapping = materials.map((bytes, index) =>
      wrapKey(own, scope, { id: index + 1, made }, bytes),
    )
    const keys = await Promise.all(wrapping)
    const ringKey = await deriveRingKey(material)
    const content = { use: rings.use, hasReencryptions: false, keys }
    await rings.put(scope, await encodeAuthenticatedRing(ringKey, scope, 1, content), 0)
    // Read again, because a concurrent writer may have won.
    const ring = await scopeKeys.read(scope)
    if (ring === undefined) throw missingKeysError(rings.use, scope)
    return ring
  }
  const loadKey = async (scope: string, keyId: number): Promise<UnwrappedKey> => {
    for (const findRing of [scopeKeys.find, scopeKeys.read]) {
      const ring = await findRing(scope)
      const key = ring && findWrappedKey(ring, keyId)
      if (ring !== undefined && key !== undefined) return scopeKeys.unwrap(ring, key)
    }
    throw undecryptableError()
  }

  return {
    readClock,
    findRing: scopeKeys.find,
    readRing: scopeKeys.read,
    ensureRing(scope) {
      const known = scopeKeys.peek(scope) ?? creations.get(scope)
      if (known !== undefined) return known
      const creating = createRing(scope).finally(() => {
        if (creations.get(scope) === creating) creations.delete(scope)
      })
      creations.set(scope, creating)
      return creating
    },
    currentKey: (ring) => scopeKeys.unwrap(ring, currentKey(ring)),
    findKey(scope, keyId) {
      const ring = scopeKeys.peek(scope)
      const key = ring && findWrappedKey(ring, keyId)
      if (ring === undefined || key === undefined) return loadKey(scope, keyId)
      return scopeKeys.unwrap(ring, key)
    },
    async updateRing(scope, change) {
      for (;;) {
        const ring = await scopeKeys.read(scope)
        if (ring === undefined) throw noKeysError()
        const isDone = await scopeKeys.use(ring, async () => {
          const content = await change(ring)
          if (content === undefined) return undefined
          scopeKeys.assertNotDropped(ring)
          const version = ring.version + 1
          const changed = await encodeAuthenticatedRing(ring.ringKey, scope, version, content)
          const isDone = await rings.put(scope, changed, ring.version)
          await scopeKeys.read(scope)
          return isDone
        })
        if (isDone !== false) return isDone ?? false
      }
    },
    assertNotErased: scopeKeys.assertNotErased,
    async eraseRing(scope, assertErasable) {
      for (;;) {
        const stored = await rings.get(scope)
        await assertErasable()
        if (stored === undefined) return undefined
        if (isErased(stored, rings.use)) return false
        const erase = async (ringKey: Uint8Array): Promise<boolean> => {
          const content = { use: rings.use, hasReencryptions: false, keys: [] }
          const version = stored.version + 1
          const erased = await encodeAuthenticatedRing(ringKey, scope, version, content)
          return rings.put(scope, erased, stored.version)
        }
        // Without its KEK, the ring cannot be opened, so what remains of it cannot be verified
        // later.
        const ring = await scopeKeys.read(scope).catch(() => undefined)
        const isDone =
          ring === undefined
            ? await erase(randomBytes(dataKeyLength))
            : await scopeKeys.use(ring, () => erase(ring.ringKey))
        if (!isDone) continue
        await rings.assertCommitted()
        scopeKeys.markErased(scope)
        return true
      }
    },
    forget(scope) {
      creations.delete(scope)
      scopeKeys.drop(scope)
    },
    forgetAll() {
      creations.clear()
      scopeKeys.dropAll()
    },
    wipe: scopeKeys.close,
  }
}

function findWrappedKey({ keys }: OpenRing, keyId: number): WrappedKey | undefined {
  return keys.findLast(({ id }) => id === keyId)
}

function noKeysError(): RangeError {
  return new RangeError('scopes must contain only scopes that have keys')
}
