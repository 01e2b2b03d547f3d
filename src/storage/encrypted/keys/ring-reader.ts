/** Reads key rings, and rejects those that are not authentic, or older than one seen before. */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import { DecryptionError, StorageError } from '../../../errors.js'
import { findProvider, type KeyProvider } from '../providers/key-provider.js'
import { currentKey, decodeRing, erasedKeysError, type KeyRing } from './key-ring.js'
import { deriveRingKey, verifyRing } from './key-ring-mac.js'
import {
  createOpenedScope,
  type LoadedRing,
  type OpenedScope,
  toUnwrappedKey,
} from './loaded-ring.js'
import { createRejectionCache, sha256 } from './rejection-cache.js'
import type { RingStore } from './ring-store.js'
import { unwrapKey } from './wrap-key.js'

/** The most recent ring of a scope that this process has read. It contains no key. */
interface SeenRing {
  readonly version: number
  readonly keyId: number
  /** SHA-256 of the ring key. */
  readonly digest: Uint8Array
}

/**
 * Reads the ring of a scope. Returns `previous` itself if the ring has not changed since, and
 * undefined if the scope never had a ring as far as this process has seen.
 *
 * Rejects with a DecryptionError if the ring is not authentic; the same bytes are then rejected for
 * 5 s without another verification. Rejects with a StorageError (`STORAGE_FAILED`) if the ring is
 * older than one that was read before, was deleted or erased, or can still be rolled back.
 */
export interface RingReader {
  read(scope: string, previous: LoadedRing | undefined): Promise<LoadedRing | undefined>
  /** Forgets which rings of the scope were rejected; of every scope if it is undefined. */
  forgetRejections(scope?: string): void
}

/** Options of `createRingReader`. */
export interface RingReaderOptions {
  readonly maxKeyAgeMs: number
  /** Called with everything that the provider has opened. */
  onOpen(scope: string, opened: OpenedScope): void
}

/**
 * Creates a reader. It keeps for each scope and as long as the process lives the version and the
 * current key id of the last ring, and a digest of the key that verifies it: about 300 bytes.
 */
export function createRingReader(
  rings: RingStore,
  provider: KeyProvider,
  { maxKeyAgeMs, onOpen }: RingReaderOptions,
): RingReader {
  const rejections = createRejectionCache()
  const seenRings = new Map<string, SeenRing>()

  /** Also verifies that the ring key is the one that was seen before. */
  const authenticate = async (
    scope: string,
    ring: KeyRing,
    previous: OpenedScope | undefined,
  ): Promise<OpenedScope> => {
    if (previous !== undefined) {
      await verifyRing(previous.ringKey, scope, ring)
      return previous
    }
    const opened = await openRing(provider, scope, ring, maxKeyAgeMs)
    const seen = seenRings.get(scope)
    if (seen !== undefined && !areBytesEqual(seen.digest, await sha256(opened.ringKey)))
      throw new DecryptionError()
    onOpen(scope, opened)
    return opened
  }

  const read: RingReader['read'] = async (scope, previous) => {
    // Reads can overtake each other: a ring is old only if a newer one was seen before this read.
    const seen = seenRings.get(scope)
    const stored = await rings.get(scope)
    if (stored === undefined) {
      if (seen !== undefined) throw new StorageError('the keys of the scope are gone')
      return undefined
    }
    if (seen !== undefined && stored.version < seen.version) throw olderRingError()
    const known = previous?.opened.isDropped ? undefined : previous
    if (known?.version === stored.version && areBytesEqual(known.body, stored.body)) return known
    // Before anything of the ring is remembered: after a rollback it would never have existed.
    await rings.assertCommitted()
    const release = known?.opened.hold()
    try {
      return await rejections.verify(scope, stored, async () => {
        const ring = decodeRing(stored)
        const { version } = ring
        if (ring.keys.length === 0) {
          if (known !== undefined && seen !== undefined) {
            known.opened.drop()
            // Without its KEK, the ring was erased by a process that could not authenticate it.
            const isAuthentic = await verifyRing(known.opened.ringKey, scope, ring).then(
              () => true,
              () => false,
            )
            if (isAuthentic) seenRings.set(scope, { ...seen, version })
          }
          throw erasedKeysError()
        }
        const opened = await authenticate(scope, ring, known?.opened)
        const keyId = currentKey(ring).id
        if (seen !== undefined && keyId < seen.keyId) throw olderRingError()
        if (version > (seenRings.get(scope)?.version ?? 0))
          seenRings.set(scope, { version, keyId, digest: await sha256(opened.ringKey) })
        return { ...ring, opened, body: stored.body }
      })
    } finally {
      release?.()
    }
  }
  return { read, forgetRejections: rejections.forget }
}

/**
 * Verifies the MAC of a ring with the last of its keys that the provider can unwrap, which takes one
 * call of the provider. Returns what that call has opened.
 * @throws DecryptionError if the MAC is invalid, or if the provider can unwrap none of the keys.
 */
export async function openRing(
  provider: KeyProvider,
  scope: string,
  ring: KeyRing,
  maxKeyAgeMs: number,
): Promise<OpenedScope> {
  const since = performance.now()
  const own = await findProvider(provider, scope)
  const key = ring.keys.findLast(({ kekId }) => own.kekIds.includes(kekId))
  if (key === undefined) throw new DecryptionError()
  const material = await unwrapKey(own, scope, key)
  const ringKey = await deriveRingKey(material)
  await verifyRing(ringKey, scope, ring)
  const opened = createOpenedScope(ringKey, since, maxKeyAgeMs)
  opened.keys.set(key.id, toUnwrappedKey(key, material))
  return opened
}

function olderRingError(): StorageError {
  return new StorageError('the keys of the scope are older than those that were seen before')
}
