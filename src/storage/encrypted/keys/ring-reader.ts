/** Reads key rings, and rejects those that are not authentic, or older than one seen before. */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import { StorageError } from '../../../errors.js'
import type { StoredRecord } from '../../../store.js'
import type { KeyProvider } from '../providers/key-provider.js'
import {
  decodeRing,
  erasedKeysError,
  type KeyRing,
  missingKeysError,
  nameKeys,
  newestKey,
  type RingUse,
} from './key-ring.js'
import { verifyRing } from './key-ring-mac.js'
import type { RingStore } from './ring-store.js'
import { type OpenedRing, openRing, wipeOpened } from './unwrapped-key.js'

/** The newest ring of a scope that this process has verified. It contains no key. */
interface SeenRing {
  readonly version: number
  readonly keyId: number
  /** SHA-256 of the ring key. */
  readonly digest: Uint8Array
}

/** A key ring as it is stored. */
export interface FetchedRing {
  readonly stored: StoredRecord
  /** The newest ring that was seen before this one was read. */
  readonly seen: SeenRing | undefined
}

/** A verified key ring, or one without keys, which says that they were erased. */
interface VerifiedRing {
  readonly ring: KeyRing
  /** The keys that the provider has opened. Undefined if it was not called. */
  readonly opened: OpenedRing | undefined
}

/**
 * Reads key rings. Every method rejects with a StorageError (`STORAGE_FAILED`) if this process has
 * seen that the keys of the scope were erased.
 */
export interface RingReader {
  /**
   * Reads a ring. Returns undefined if it does not exist. Rejects with the error of the store, or
   * with a StorageError (`STORAGE_FAILED`) if the ring is older than one that was verified before,
   * or has disappeared since.
   */
  fetch(scope: string): Promise<FetchedRing | undefined>
  /**
   * Verifies a ring with its ring key, or calls the provider if that is undefined. A ring without
   * keys need not be authentic, because a process that erases keys without their KEK cannot make an
   * authentic one. If it is authentic, that is remembered.
   * @throws DecryptionError if the ring is not authentic, or its ring key is not the one that was
   * seen before.
   * @throws StorageError (`STORAGE_FAILED`) if it does not have the newest key.
   */
  verify(
    scope: string,
    fetched: FetchedRing,
    ringKey: Uint8Array | undefined,
  ): Promise<VerifiedRing>
  /** Remembers that the keys of the scope were erased. */
  markErased(scope: string): void
  /** Returns true if this process has seen that. */
  isErased(scope: string): boolean
}

/**
 * Creates a reader. Until the process ends, it remembers for each scope that its keys were erased,
 * or the version and the newest key id of the newest ring, with a digest of the key that verifies
 * it. That takes about 300 bytes.
 */
export function createRingReader(rings: RingStore, provider: KeyProvider): RingReader {
  const seenRings = new Map<string, SeenRing>()
  const erasedScopes = new Set<string>()

  const findSeen = (scope: string): SeenRing | undefined => {
    if (erasedScopes.has(scope)) throw erasedKeysError(rings.use, scope)
    return seenRings.get(scope)
  }
  const remember = async (
    scope: string,
    ring: KeyRing,
    ringKey: Uint8Array,
    seenBefore: SeenRing | undefined,
  ): Promise<void> => {
    const digest = await sha256(ringKey)
    const seen = findSeen(scope)
    if (seen !== undefined && !areBytesEqual(seen.digest, digest)) throw undecryptableError()
    const keyId = newestKey(ring).id
    if (seenBefore !== undefined && keyId < seenBefore.keyId) throw olderRingError(rings.use, scope)
    if (ring.version > (seen?.version ?? 0))
      seenRings.set(scope, { version: ring.version, keyId, digest })
  }
  const markErased = (scope: string): void => {
    erasedScopes.add(scope)
    seenRings.delete(scope)
  }
  return {
    async fetch(scope) {
      // Reads can overtake each other, so a ring counts as old only if a newer one was seen before
      // this read.
      const seen = findSeen(scope)
      const stored = await rings.get(scope)
      if (stored !== undefined && stored.version >= (seen?.version ?? 0)) return { stored, seen }
      if (stored !== undefined) throw olderRingError(rings.use, scope)
      if (seen !== undefined) throw missingKeysError(rings.use, scope)
      return undefined
    },
    async verify(scope, { stored, seen }, ringKey) {
      const ring = decodeRing(stored, rings.use)
      if (ring.keys.length === 0) {
        if (ringKey && (await isAuthentic(ringKey, scope, ring))) markErased(scope)
        return { ring, opened: undefined }
      }
      if (ringKey !== undefined) {
        await verifyRing(ringKey, scope, ring)
        await remember(scope, ring, ringKey, seen)
        return { ring, opened: undefined }
      }
      const opened = await openRing(provider, scope, ring)
      try {
        await remember(scope, ring, opened.ringKey, seen)
      } catch (error) {
        wipeOpened(opened)
        throw error
      }
      return { ring, opened }
    },
    markErased,
    isErased: (scope) => erasedScopes.has(scope),
  }
}

async function isAuthentic(ringKey: Uint8Array, scope: string, ring: KeyRing): Promise<boolean> {
  return verifyRing(ringKey, scope, ring).then(
    () => true,
    () => false,
  )
}

/** Returns the 32 bytes of a SHA-256. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
}

function olderRingError(use: RingUse, scope: string): StorageError {
  return new StorageError(`${nameKeys(use, scope)} are older than those that were seen before`)
}
