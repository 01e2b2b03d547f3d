/** Reads key rings, and rejects those that are not authentic, or older than one seen before. */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import { StorageError } from '../../../errors.js'
import type { StoredRecord } from '../../../store.js'
import {
  erasedKeysError,
  type KeyRing,
  missingKeysError,
  nameKeys,
  newestKey,
  type RingUse,
} from './key-ring.js'
import type { RingStore } from './ring-store.js'

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
   * Remembers a ring that was verified with this ring key.
   * @throws DecryptionError if its ring key is not the one that was seen before.
   * @throws StorageError (`STORAGE_FAILED`) if it does not have the newest key.
   */
  remember(
    scope: string,
    ring: KeyRing,
    ringKey: Uint8Array,
    fetched?: Pick<FetchedRing, 'seen'>,
  ): Promise<void>
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
export function createRingReader(rings: RingStore): RingReader {
  const seenRings = new Map<string, SeenRing>()
  const erasedScopes = new Set<string>()

  const findSeen = (scope: string): SeenRing | undefined => {
    if (erasedScopes.has(scope)) throw erasedKeysError(rings.use, scope)
    return seenRings.get(scope)
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
    async remember(scope, ring, ringKey, fetched) {
      const digest = await sha256(ringKey)
      const seen = findSeen(scope)
      if (seen !== undefined && !areBytesEqual(seen.digest, digest)) throw undecryptableError()
      const keyId = newestKey(ring).id
      if (keyId < (fetched?.seen?.keyId ?? 0)) throw olderRingError(rings.use, scope)
      if (ring.version > (seen?.version ?? 0))
        seenRings.set(scope, { version: ring.version, keyId, digest })
    },
    markErased(scope) {
      erasedScopes.add(scope)
      seenRings.delete(scope)
    },
    isErased: (scope) => erasedScopes.has(scope),
  }
}

/** Returns the 32 bytes of a SHA-256. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
}

function olderRingError(use: RingUse, scope: string): StorageError {
  return new StorageError(`${nameKeys(use, scope)} are older than those that were seen before`)
}
