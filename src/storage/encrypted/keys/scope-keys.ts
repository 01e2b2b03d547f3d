/**
 * The keys of all scopes that this process has in memory. No other module caches keys. A key leaves
 * memory as soon as its scope was dropped and no operation uses it. A scope is dropped when its
 * keys are forgotten, are erased or reach their maximum age, when 4,096 other scopes have been used
 * since, and when the store is closed.
 */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import { setNewest } from '../../../base/set-newest.js'
import { DecryptionError, StorageUnavailableError } from '../../../errors.js'
import { findProvider, type KeyProvider } from '../providers/key-provider.js'
import { erasedKeysError, isErased, maxRingBytes, type WrappedKey } from './key-ring.js'
import { createRingReader, type FetchedRing } from './ring-reader.js'
import type { RingStore } from './ring-store.js'
import {
  createEntry,
  type OpenRing,
  reject,
  type ScopeEntry,
  type Timer,
  useKeys,
  wasRejected,
  wipe,
  wipeUnlessUsed,
} from './scope-entry.js'
import {
  type MaybePromise,
  type OpenedRing,
  toUnwrappedKey,
  type UnwrappedKey,
  unwrapKeyOfRing,
  wipeOpened,
} from './unwrapped-key.js'
import { dataKeyLength } from './wrap-key.js'

/**
 * How long it may take until this process sees another process's change of a ring, in milliseconds.
 */
const maxRingAgeMs = 60_000
/** The maximum number of scopes. The least recently used one is dropped first. */
const maxScopes = 4096

/**
 * The keys of all scopes in memory. Methods that read a ring reject with
 * - the error of the store, unchanged
 * - a StorageError (`STORAGE_UNAVAILABLE`, 503) if the provider fails, or if the keys are closed
 * - a DecryptionError if the ring is not authentic
 * - a StorageError (`STORAGE_FAILED`, 500) if the ring was deleted or erased, is older than one
 *   that this process has verified, or can still be rolled back
 */
export interface ScopeKeys {
  /** Returns the ring if its scope is open and it was read in the last minute. Reads nothing. */
  peek(scope: string): OpenRing | undefined
  /**
   * Returns the ring, at most a minute old, or undefined if it does not exist. Calls share a read.
   */
  find(scope: string): MaybePromise<OpenRing | undefined>
  /** Reads the ring now. Returns undefined if it does not exist. */
  read(scope: string): Promise<OpenRing | undefined>
  /**
   * Returns a key of the ring. Rejects with a DecryptionError if it cannot be unwrapped, and with a
   * StorageUnavailableError (503) if the scope is dropped before it is.
   */
  unwrap(ring: OpenRing, key: WrappedKey): MaybePromise<UnwrappedKey>
  /** Returns the result of `work`, and keeps the keys of the ring from being overwritten until then. */
  use<Result>(ring: OpenRing, work: () => Promise<Result>): Promise<Result>
  /** @throws StorageUnavailableError (503) if the keys of the ring were dropped. */
  assertNotDropped(ring: OpenRing): void
  /**
   * Reads from the store, even if the ring is in memory, whether the keys of the scope were erased.
   * If so, drops them.
   * @throws StorageError (`STORAGE_FAILED`) if they were erased.
   */
  assertNotErased(scope: string): Promise<void>
  /**
   * Drops the keys, because they were erased. This process never uses the scope again, even if its
   * ring comes back from a backup.
   */
  markErased(scope: string): void
  /** Drops the keys of the scope, and forgets that its ring was rejected. */
  drop(scope: string): void
  /** Does that for every scope. */
  dropAll(): void
  /** Drops and overwrites everything immediately. After that, no ring can be read. */
  close(): void
}

/**
 * Creates the keys in memory. After half of `maxKeyAgeMs`, they renew the keys of a scope, and
 * retry after every twentieth of it until that succeeds. The old keys are used meanwhile. Keys that
 * no call has used since the last renewal are not renewed.
 * @param maxKeyAgeMs The age at which keys are dropped, or Infinity.
 */
export function createScopeKeys(
  rings: RingStore,
  provider: KeyProvider,
  maxKeyAgeMs: number,
): ScopeKeys {
  /** All entries that are not dropped, the least recently used one first. */
  const entries = new Map<string, ScopeEntry>()
  const reader = createRingReader(rings, provider)
  let isClosed = false

  const peek: ScopeKeys['peek'] = (scope) => {
    const entry = entries.get(scope)
    const now = performance.now()
    if (entry?.state !== 'open' || now - entry.readAt >= maxRingAgeMs) return undefined
    if (now - entry.askedAt >= maxKeyAgeMs) return undefined
    setNewest(entries, scope, entry, maxScopes)
    return entry.ring
  }
  const findEntry = (scope: string): ScopeEntry | undefined => {
    const entry = entries.get(scope)
    return entry === undefined || dropIfExpired(entry) ? undefined : entry
  }
  const read: ScopeKeys['read'] = (scope) => {
    if (isClosed) return Promise.reject(closedError())
    const entry = findEntry(scope) ?? createEntry(scope)
    const leastRecentlyUsed = setNewest(entries, scope, entry, maxScopes)
    if (leastRecentlyUsed !== undefined) drop(leastRecentlyUsed)
    const reading = readInto(entry).finally(() => {
      if (entry.reading !== reading) return
      entry.reading = undefined
      // There is no ring, or it could not be read or opened. The next call tries again.
      if (entry.state === 'opening') drop(entry)
    })
    entry.reading = reading
    return reading
  }

  const readInto = async (entry: ScopeEntry): Promise<OpenRing | undefined> => {
    const readAt = performance.now()
    try {
      const ring = await readRing(entry)
      // The ring was read again for another entry, because this one was dropped meanwhile.
      if (ring?.entry !== entry || entry.state === 'dropped') return ring
      entry.state = 'open'
      entry.rejection = undefined
      entry.readAt = Math.max(entry.readAt, readAt)
      if (ring.version >= (entry.ring?.version ?? 0)) entry.ring = ring
      return ring
    } catch (error) {
      entry.readAt = Number.NEGATIVE_INFINITY
      throw error
    }
  }
  const readRing = async (entry: ScopeEntry): Promise<OpenRing | undefined> => {
    const { scope } = entry
    const fetched = await reader.fetch(scope)
    if (fetched === undefined) return undefined
    const { version, body } = fetched.stored
    // The ring key may be overwritten by now.
    if (entry.ringKey !== undefined && dropIfExpired(entry)) return read(scope)
    const { ring } = entry
    if (ring?.version === version && areBytesEqual(ring.body, body)) return ring
    // Check this before remembering anything of the ring, because after a rollback the ring never
    // existed.
    await rings.assertCommitted()
    if (body.length > maxRingBytes || (await wasRejected(entry, fetched.stored)))
      throw undecryptableError()
    try {
      return await useKeys(entry, () => verify(entry, fetched))
    } catch (error) {
      if (error instanceof DecryptionError) await reject(entry, fetched.stored)
      throw error
    }
  }
  const verify = async (entry: ScopeEntry, fetched: FetchedRing): Promise<OpenRing> => {
    const askedAt = performance.now()
    const { ring, opened } = await reader.verify(entry.scope, fetched, entry.ringKey)
    if (ring.keys.length === 0) {
      drop(entry)
      throw erasedKeysError(rings.use, entry.scope)
    }
    if (opened !== undefined) keepOpened(entry, opened, askedAt)
    if (entry.ringKey === undefined) throw closedError()
    return { ...ring, body: fetched.stored.body, ringKey: entry.ringKey, entry }
  }
  /** Keeps what the provider has opened, unless a concurrent read has already kept it. */
  const keepOpened = (entry: ScopeEntry, opened: OpenedRing, askedAt: number): void => {
    if (isClosed || entry.ringKey !== undefined) return wipeOpened(opened)
    entry.ringKey = opened.ringKey
    entry.unwrapped.set(opened.key.id, opened.key)
    entry.askedAt = askedAt
    startAging(entry)
  }

  const unwrapKey = async (ring: OpenRing, key: WrappedKey): Promise<UnwrappedKey> => {
    const { entry } = ring
    try {
      const own = await findProvider(provider, entry.scope)
      const material = await unwrapKeyOfRing(own, entry.scope, ring, key)
      if (entry.state === 'dropped') material.fill(0)
      assertNotDropped(ring)
      const unwrapped = toUnwrappedKey(key, material)
      entry.unwrapped.set(key.id, unwrapped)
      return unwrapped
    } catch (error) {
      entry.unwrapped.delete(key.id)
      throw entry.state === 'dropped' ? droppedKeysError() : error
    }
  }
  const startAging = (entry: ScopeEntry): void => {
    if (maxKeyAgeMs === Number.POSITIVE_INFINITY || entry.state === 'dropped') return
    const age = performance.now() - entry.askedAt
    clearTimeout(entry.dropTimer)
    entry.dropTimer = startTimer(() => drop(entry), maxKeyAgeMs - age)
    entry.askTimer = startTimer(() => void askAgain(entry), maxKeyAgeMs / 2 - age)
  }
  const askAgain = async (entry: ScopeEntry): Promise<void> => {
    const askedAt = performance.now()
    const wasUsed = entry.isUsed
    entry.isUsed = false
    const isSame = wasUsed && (await unwrapAgain(entry).catch(() => false))
    if (entry.state === 'dropped') return
    if (isSame) {
      entry.askedAt = askedAt
      startAging(entry)
    } else {
      entry.isUsed ||= wasUsed
      entry.askTimer = startTimer(() => void askAgain(entry), maxKeyAgeMs / 20)
    }
  }
  /** Resolves with true if the provider unwraps every key in memory to the same bytes. */
  const unwrapAgain = async (entry: ScopeEntry): Promise<boolean> => {
    const ring = await read(entry.scope)
    if (ring?.entry !== entry) return false
    const own = await findProvider(provider, entry.scope)
    for (const key of ring.keys) {
      const known = entry.unwrapped.get(key.id)
      if (known === undefined) continue
      // An earlier call for this key is still open, and the provider may deny it now.
      if (known instanceof Promise) return false
      const material = await unwrapKeyOfRing(own, entry.scope, ring, key)
      const isSame = areBytesEqual(material.subarray(0, dataKeyLength), known.bytes)
      material.fill(0)
      if (!isSame) return false
    }
    return true
  }

  /**
   * Drops keys that have reached their maximum age, because their timer may be late. Returns true
   * if the entry is dropped, even by an earlier call.
   */
  const dropIfExpired = (entry: ScopeEntry): boolean => {
    if (performance.now() - entry.askedAt >= maxKeyAgeMs) drop(entry)
    return entry.state === 'dropped'
  }
  const assertNotDropped: ScopeKeys['assertNotDropped'] = ({ entry }) => {
    if (dropIfExpired(entry)) throw droppedKeysError()
  }
  const drop = (entry: ScopeEntry): void => {
    if (entry.state === 'dropped') return
    entry.state = 'dropped'
    entries.delete(entry.scope)
    clearTimeout(entry.dropTimer)
    clearTimeout(entry.askTimer)
    void wipeUnlessUsed(entry)
  }
  const dropScope = (scope: string): void => {
    const entry = entries.get(scope)
    if (entry !== undefined) drop(entry)
  }

  return {
    peek,
    find: (scope) => peek(scope) ?? findEntry(scope)?.reading ?? read(scope),
    read,
    unwrap(ring, key) {
      const { entry } = ring
      entry.isUsed = true
      const known = entry.unwrapped.get(key.id)
      if (known !== undefined) return known
      if (dropIfExpired(entry)) return Promise.reject(droppedKeysError())
      const unwrapping = useKeys(entry, () => unwrapKey(ring, key))
      entry.unwrapped.set(key.id, unwrapping)
      return unwrapping
    },
    use({ entry }, work) {
      entry.isUsed = true
      return useKeys(entry, work)
    },
    assertNotDropped,
    async assertNotErased(scope) {
      const fetched = await reader.fetch(scope)
      if (fetched === undefined || !isErased(fetched.stored)) return
      dropScope(scope)
      throw erasedKeysError(rings.use, scope)
    },
    markErased(scope) {
      reader.markErased(scope)
      dropScope(scope)
    },
    drop: dropScope,
    dropAll() {
      for (const entry of entries.values()) drop(entry)
    },
    close() {
      isClosed = true
      for (const entry of entries.values()) {
        drop(entry)
        wipe(entry)
      }
    },
  }
}

/** Starts a timer that does not keep the process alive, if the runtime has such timers. */
function startTimer(onTimer: () => void, ms: number): Timer {
  const timer = setTimeout(onTimer, Math.max(ms, 0))
  if (typeof timer === 'object') timer.unref?.()
  return timer
}

function closedError(): StorageUnavailableError {
  return new StorageUnavailableError('the encrypted store is closed')
}

function droppedKeysError(): StorageUnavailableError {
  return new StorageUnavailableError('the encryption keys were dropped meanwhile: try again')
}
