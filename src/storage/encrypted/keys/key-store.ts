/** The keys of all scopes: created on first use, cached once unwrapped, and read again after a minute. */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import { DecryptionError, StorageError, StorageUnavailableError } from '../../../errors.js'
import { randomBytes } from '../envelope/record-envelope.js'
import { findProvider, type KeyProvider } from '../providers/key-provider.js'
import { createKeyAging } from './key-age.js'
import { currentKey, isErased, type RingContent, type WrappedKey } from './key-ring.js'
import { deriveRingKey, encodeAuthenticatedRing } from './key-ring-mac.js'
import {
  type LoadedRing,
  type MaybePromise,
  type OpenedScope,
  toUnwrappedKey,
  type UnwrappedKey,
  unwrapKeyOfRing,
} from './loaded-ring.js'
import { createLoadingCache } from './loading-cache.js'
import { createRingReader } from './ring-reader.js'
import type { RingStore } from './ring-store.js'
import { dataKeyLength, keyMaterialLength, wrapKey } from './wrap-key.js'

/** Milliseconds until this process sees a change of a ring by another one. */
const maxRingAgeMs = 60_000
/** The maximum number of scopes whose keys are cached. */
const maxCachedRings = 4096

/**
 * The keys of an encrypted store. Every method rejects with:
 *
 * - the error of the inner store, unchanged
 * - a StorageError (`STORAGE_UNAVAILABLE`, 503) if the provider fails, if a call of the provider or
 *   of the store has not settled after 10 s, or if the keys are dropped before a call could use
 *   them. The next call then makes a new one
 * - a DecryptionError if the ring is not authentic
 * - a StorageError (`STORAGE_FAILED`, 500) if the ring was deleted or erased, is older than one that
 *   this process has read, or is not where rings are stored
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
  /**
   * Replaces the scope's ring with one that says that its keys were erased, and drops the keys. The
   * provider can be out of reach. `assertErasable` is called after the ring was read, and can reject:
   * if the ring is changed after that, the ring is read and `assertErasable` called again.
   * @returns false if the keys were erased before, undefined if the ring does not exist.
   */
  eraseRing(scope: string, assertErasable: () => Promise<void>): Promise<boolean | undefined>
  /**
   * Drops the cached keys of the scope, and forgets that its ring was rejected. The next call asks
   * the provider again.
   */
  forget(scope: string): void
  /** Does that for every scope. */
  forgetAll(): void
  /** Overwrites all keys. After that, only `findKey` can be called, which rejects with 503. */
  wipe(): void
}

/** Creates the key store of an encrypted store. */
export function createKeyStore(
  store: RingStore,
  provider: KeyProvider,
  maxKeyAgeMs = Number.POSITIVE_INFINITY,
): KeyStore {
  const askAgain = async (scope: string, opened: OpenedScope): Promise<boolean> => {
    const ring = await rings.load(scope)
    if (ring?.opened !== opened) return false
    const own = await findProvider(provider, scope)
    for (const key of ring.keys) {
      const known = opened.keys.get(key.id)
      if (known === undefined) continue
      // The provider was asked for this key before, and can have been denied it since.
      if (known instanceof Promise) return false
      const material = await unwrapKeyOfRing(own, scope, ring, key)
      const isSame = areBytesEqual(material.subarray(0, dataKeyLength), known.bytes)
      material.fill(0)
      if (!isSame) return false
    }
    return true
  }
  let isWiped = false
  const startAging = createKeyAging(maxKeyAgeMs, askAgain)
  const onOpen = (scope: string, opened: OpenedScope): void => {
    if (isWiped) opened.wipe()
    else if (maxKeyAgeMs !== Number.POSITIVE_INFINITY) startAging(scope, opened)
  }
  const reader = createRingReader(store, provider, { maxKeyAgeMs, onOpen })
  const rings = createLoadingCache(reader.read, {
    maxAgeMs: maxRingAgeMs,
    maxEntries: maxCachedRings,
    onEvict: ({ opened }) => opened.drop(),
  })
  const inFlight = new Map<string, Promise<LoadedRing>>()

  const peekRing = (scope: string): LoadedRing | undefined => {
    const ring = rings.peek(scope)
    return ring?.opened.isDropped ? undefined : ring
  }
  const findRing = (scope: string): MaybePromise<LoadedRing | undefined> => {
    const ring = rings.peek(scope)
    if (ring === undefined) return rings.get(scope)
    return ring.opened.isDropped ? rings.load(scope) : ring
  }

  const createRing = async (scope: string): Promise<LoadedRing> => {
    const found = await findRing(scope)
    if (found !== undefined) return found
    const material = randomBytes(keyMaterialLength)
    const keys = [await wrapKey(await findProvider(provider, scope), scope, 1, material)]
    const ringKey = await deriveRingKey(material)
    const content = { hasReencryptions: false, keys }
    await store.put(scope, await encodeAuthenticatedRing(ringKey, scope, 1, content), 0)
    // Read again: a concurrent writer can have won.
    const ring = await rings.load(scope)
    if (ring === undefined) throw new StorageError('the keys of the scope are gone')
    return ring
  }

  const openKey = async (
    scope: string,
    ring: LoadedRing,
    key: WrappedKey,
  ): Promise<UnwrappedKey> => {
    const { opened } = ring
    const release = opened.hold()
    try {
      const own = await findProvider(provider, scope)
      const material = await unwrapKeyOfRing(own, scope, ring, key)
      if (!opened.isDropped) return toUnwrappedKey(key, material)
      material.fill(0)
      throw droppedKeysError()
    } finally {
      release()
    }
  }
  const unwrap = (scope: string, ring: LoadedRing, key: WrappedKey): MaybePromise<UnwrappedKey> => {
    const { opened } = ring
    opened.isUsed = true
    const known = opened.keys.get(key.id)
    if (known !== undefined) return known
    const opening = openKey(scope, ring, key)
    opened.keys.set(key.id, opening)
    opening.then(
      (unwrappedKey) => opened.keys.set(key.id, unwrappedKey),
      () => opened.keys.delete(key.id),
    )
    return opening
  }

  const loadKey = async (scope: string, keyId: number): Promise<UnwrappedKey> => {
    // A stream can outlast the store.
    if (isWiped) throw new StorageUnavailableError('the encrypted store is closed')
    for (const readRing of [findRing, rings.load]) {
      const ring = await readRing(scope)
      const key = ring?.keys.find(({ id }) => id === keyId)
      if (ring !== undefined && key !== undefined) return unwrap(scope, ring, key)
    }
    throw new DecryptionError()
  }

  const keyStore: KeyStore = {
    findRing,
    ensureRing(scope) {
      const known = peekRing(scope) ?? inFlight.get(scope)
      if (known !== undefined) return known
      const creating = createRing(scope).finally(() => inFlight.delete(scope))
      inFlight.set(scope, creating)
      return creating
    },
    currentKey: (scope, ring) => unwrap(scope, ring, currentKey(ring)),
    findKey(scope, keyId) {
      const opened = peekRing(scope)?.opened
      const key = opened?.keys.get(keyId)
      if (opened === undefined || key === undefined) return loadKey(scope, keyId)
      opened.isUsed = true
      return key
    },
    async updateRing(scope, change) {
      for (;;) {
        const ring = await rings.load(scope)
        if (ring === undefined) throw noKeysError()
        ring.opened.isUsed = true
        const release = ring.opened.hold()
        try {
          const content = await change(ring)
          if (content === undefined) return false
          if (ring.opened.isDropped) throw droppedKeysError()
          const version = ring.version + 1
          const { ringKey } = ring.opened
          const changed = await encodeAuthenticatedRing(ringKey, scope, version, content)
          const isDone = await store.put(scope, changed, ring.version)
          await rings.load(scope)
          if (isDone) return true
        } finally {
          release()
        }
      }
    },
    async eraseRing(scope, assertErasable) {
      for (;;) {
        const stored = await store.get(scope)
        await assertErasable()
        if (stored === undefined) return undefined
        if (isErased(stored)) return false
        // Without its KEK, the ring cannot be opened. What remains of it cannot be verified then.
        const opened = await rings.load(scope).then(
          (ring) => ring?.opened,
          () => undefined,
        )
        const release = opened?.hold()
        const ringKey = opened?.ringKey ?? randomBytes(dataKeyLength)
        const content = { hasReencryptions: false, keys: [] }
        const version = stored.version + 1
        try {
          const erased = await encodeAuthenticatedRing(ringKey, scope, version, content)
          if (!(await store.put(scope, erased, stored.version))) continue
          await store.assertCommitted()
          // Remembers the version. It rejects, because the keys were erased.
          await rings.load(scope).catch(() => {})
          keyStore.forget(scope)
          return true
        } finally {
          release?.()
        }
      }
    },
    forget(scope) {
      reader.forgetRejections(scope)
      rings.delete(scope)?.opened.drop()
    },
    forgetAll() {
      reader.forgetRejections()
      for (const { opened } of rings.clear()) opened.drop()
    },
    wipe() {
      isWiped = true
      for (const { opened } of rings.clear()) opened.wipe()
    },
  }
  return keyStore
}

function droppedKeysError(): StorageError {
  return new StorageUnavailableError('the keys of the scope were dropped')
}

function noKeysError(): RangeError {
  return new RangeError('scopes must contain only scopes with keys')
}
