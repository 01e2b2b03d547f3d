/** The keys of an encrypted store: creates, changes and erases key rings. */

import { undecryptableError } from '../../../base/fixed-errors.js'
import { randomBytes } from '../envelope/record-envelope.js'
import type { KeyProvider } from '../providers/key-provider.js'
import { type Clock, createClock } from './clock.js'
import {
  createKeyCache,
  type KeyCache,
  type OpenRing,
  type RingChange,
  type StoredRing,
} from './key-cache.js'
import { currentKey, isErased, isTimeOfKey, keyLength, materialLength } from './key-ring.js'
import { authenticateRing, deriveRingKey } from './key-ring-mac.js'
import type { MaybePromise, UnwrappedKey } from './opened-keys.js'
import { createRingOpener, type RingOpener } from './ring-opener.js'
import type { RingStore } from './ring-store.js'

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
  /** The keys in memory. */
  readonly cache: KeyCache
  /** Calls the provider. */
  readonly opener: RingOpener
  readonly clock: Clock
  /**
   * Returns the time for a key that is made now. If the clock is before 1970, it counts as 1970,
   * because a ring with an earlier time would be rejected.
   */
  readKeyTime(): number
  /** Returns the scope's ring, at most a minute old, or undefined if it does not exist. */
  findRing(scope: string): MaybePromise<OpenRing | undefined>
  /** Reads the scope's ring from the store, even if it is cached. */
  readRing(scope: string): Promise<OpenRing | undefined>
  /** Returns the scope's ring, and creates it if it does not exist. */
  ensureRing(scope: string): MaybePromise<OpenRing>
  /** Returns the key with which new records are encrypted. @throws 503 if it was overwritten. */
  currentKey(ring: OpenRing): UnwrappedKey
  /**
   * Returns the key with this id. If the cached ring does not contain it, the ring is read again,
   * because another process may have added it.
   * @throws DecryptionError if it does not exist.
   */
  findKey(scope: string, keyId: number): MaybePromise<UnwrappedKey>
  /**
   * Replaces the content of the scope's ring with the result of `change`, by compare-and-swap. On
   * conflict, `change` is called again. Rejects with a RangeError if the ring does not exist. If the
   * keys of the scope were not in memory, they are dropped again.
   * @returns true if the ring was replaced, false if `change` returned undefined.
   */
  updateRing(
    scope: string,
    change: (ring: OpenRing) => Promise<RingChange | undefined>,
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
   * Drops the keys of the scope, and forgets that its ring was rejected. The next call asks the
   * provider again, and does not wait for a call that has begun before.
   */
  forget(scope: string): void
  /** Does the same for every scope. */
  forgetAll(): void
  /** Overwrites all keys. After that, only `findKey` may be called, and it rejects with 503. */
  wipe(): void
}

/**
 * Creates the key store of an encrypted store or of a sealer.
 * @param now The clock of the keys that it makes, in milliseconds since 1970.
 */
export function createKeyStore(
  rings: RingStore,
  provider: KeyProvider,
  maxKeyAgeMs = Number.POSITIVE_INFINITY,
  now = () => Date.now(),
): KeyStore {
  const opener = createRingOpener(rings, provider)
  const clock = createClock(now)
  const cache = createKeyCache(rings, opener, clock, maxKeyAgeMs)

  const readKeyTime = (): number => {
    const time = Math.trunc(now())
    return isTimeOfKey(time) ? time : 0
  }
  /** Stores the first ring of a scope. Returns undefined if another process was faster. */
  const createRing = async (scope: string): Promise<StoredRing | undefined> => {
    const made = readKeyTime()
    const keys = (rings.use.hasNext ? [1, 2] : [1]).map((id) => ({ id, made }))
    const material = randomBytes(materialLength(keys.length))
    const sealed = await opener.seal(scope, keys, material)
    const ringKey = await deriveRingKey(material)
    const content = { use: rings.use, hasReencryptions: false, ...sealed }
    const ring = await authenticateRing(ringKey, scope, 1, content)
    if (!(await rings.put(scope, { body: ring.body }, 0))) return undefined
    await rings.assertCommitted()
    return { ring, opened: { ringKey, material } }
  }
  const loadKey = async (scope: string, keyId: number): Promise<UnwrappedKey> => {
    for (const findRing of [cache.find, cache.read]) {
      const ring = await findRing(scope)
      const key = ring && cache.keyOf(ring, keyId)
      if (key !== undefined) return key
    }
    throw undecryptableError()
  }

  return {
    cache,
    opener,
    clock,
    readKeyTime,
    findRing: cache.find,
    readRing: cache.read,
    ensureRing: (scope) => cache.ensure(scope, () => createRing(scope)),
    currentKey(ring) {
      const key = cache.keyOf(ring, currentKey(ring).id)
      if (key === undefined) throw undecryptableError()
      return key
    },
    findKey(scope, keyId) {
      const ring = cache.peek(scope)
      return (ring && cache.keyOf(ring, keyId)) ?? loadKey(scope, keyId)
    },
    updateRing(scope, change) {
      return cache.visit(scope, async ({ read, replace }) => {
        for (;;) {
          const ring = await read()
          if (ring === undefined) throw noKeysError()
          const isDone = await cache.use(ring, async () => {
            const changed = await change(ring)
            return changed && replace(ring, changed)
          })
          if (isDone !== false) return isDone ?? false
        }
      })
    },
    assertNotErased: cache.assertNotErased,
    async eraseRing(scope, assertErasable) {
      for (;;) {
        const stored = await rings.get(scope)
        await assertErasable()
        if (stored === undefined) return undefined
        if (isErased(stored, rings.use)) return false
        const erase = async (ringKey: Uint8Array): Promise<boolean> => {
          const noKeys = { keys: [], kekId: '', secret: '', sealed: '' }
          const content = { use: rings.use, hasReencryptions: false, ...noKeys }
          const { body } = await authenticateRing(ringKey, scope, stored.version + 1, content)
          return rings.put(scope, { body }, stored.version)
        }
        const isDone = await cache.visit(scope, async ({ read }) => {
          // Without its KEK, the ring cannot be opened, so what remains of it cannot be verified
          // later.
          const ring = await read().catch(() => undefined)
          return ring === undefined
            ? erase(randomBytes(keyLength))
            : cache.use(ring, () => erase(ring.opened.ringKey))
        })
        if (!isDone) continue
        await rings.assertCommitted()
        cache.markErased(scope)
        return true
      }
    },
    forget: cache.drop,
    forgetAll: cache.dropAll,
    wipe: cache.close,
  }
}

function noKeysError(): RangeError {
  return new RangeError('scopes must contain only scopes that have keys')
}
