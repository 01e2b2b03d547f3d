/** Reads key rings, and rejects those that are not authentic, or older than one seen before. */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import { DecryptionError, StorageError } from '../../../errors.js'
import type { RecordStore } from '../../../store.js'
import { type KeyProvider, withKeyTimeout } from '../providers/key-provider.js'
import { currentKey, decodeRing, type KeyRing, toRingRecordKey } from './key-ring.js'
import { deriveRingKey, verifyRing } from './key-ring-mac.js'
import { type LoadedRing, toUnwrappedKey, type UnwrappedKey } from './loaded-ring.js'
import { createRejectionCache } from './rejection-cache.js'
import { unwrapKey } from './wrap-key.js'

/** The most recent ring of a scope that this process has read. */
export interface SeenRing {
  readonly version: number
  readonly keyId: number
  readonly ringKey: Uint8Array
}

/**
 * Reads the ring of a scope. Returns `previous` itself if the ring has not changed since, and
 * undefined if the scope never had a ring as far as this process has seen.
 *
 * Rejects with a DecryptionError if the ring is not authentic; the same bytes are then rejected for
 * 5 s without another verification. Rejects with a StorageError (`STORAGE_FAILED`) if the ring is
 * older than one that was read before, or was deleted.
 */
export type RingReader = (
  scope: string,
  previous: LoadedRing | undefined,
) => Promise<LoadedRing | undefined>

/**
 * Creates a reader. It keeps in `seenRings`, for each scope and as long as the process lives, the
 * version and the current key id of the last ring, and the key that verifies it: about 300 bytes.
 */
export function createRingReader(
  records: RecordStore,
  provider: KeyProvider,
  seenRings: Map<string, SeenRing>,
): RingReader {
  const rejections = createRejectionCache()

  return async (scope, previous) => {
    // Reads can overtake each other: a ring is old only if a newer one was seen before this read.
    const seen = seenRings.get(scope)
    const stored = await withKeyTimeout('the store', () => records.get(toRingRecordKey(scope)))
    if (stored === undefined) {
      if (seen !== undefined) throw new StorageError('the keys of the scope are gone')
      return undefined
    }
    if (seen !== undefined && stored.version < seen.version) throw olderRingError()
    if (previous?.version === stored.version && areBytesEqual(previous.body, stored.body))
      return previous
    const ring = await rejections.verify(scope, stored, async () =>
      authenticateRing(provider, scope, decodeRing(stored), seen),
    )
    const unwrappedKeys = new Map([...listReusableKeys(ring, previous), ...ring.unwrappedKeys])
    const keyId = currentKey(ring).id
    if (seen !== undefined && keyId < seen.keyId) throw olderRingError()
    if (ring.version > (seenRings.get(scope)?.version ?? 0))
      seenRings.set(scope, { version: ring.version, keyId, ringKey: ring.ringKey })
    return { ...ring, unwrappedKeys, body: stored.body }
  }
}

/**
 * Verifies the MAC of a ring: with the ring key of the scope if it is known, else with that of the
 * last key that the provider can unwrap, which takes one call of the provider.
 * @throws DecryptionError if the MAC is invalid, or if the provider can unwrap none of the keys.
 */
async function authenticateRing(
  provider: KeyProvider,
  scope: string,
  ring: KeyRing,
  seen: SeenRing | undefined,
): Promise<Omit<LoadedRing, 'body'>> {
  if (seen !== undefined) {
    await verifyRing(seen.ringKey, scope, ring)
    return { ...ring, ringKey: seen.ringKey, unwrappedKeys: new Map() }
  }
  const key = ring.keys.findLast(({ kekId }) => provider.kekIds.includes(kekId))
  if (key === undefined) throw new DecryptionError()
  const material = await unwrapKey(provider, scope, key)
  const ringKey = await deriveRingKey(material)
  await verifyRing(ringKey, scope, ring)
  return { ...ring, ringKey, unwrappedKeys: new Map([[key.id, toUnwrappedKey(key, material)]]) }
}

/**
 * Returns the unwrapped keys of the previous ring that this ring still contains. A key id never
 * changes its bytes. Only a ring with the same ring key can have any of them.
 */
function listReusableKeys(
  { keys, ringKey }: Omit<LoadedRing, 'body'>,
  previous: LoadedRing | undefined,
): [number, UnwrappedKey][] {
  if (previous === undefined || !areBytesEqual(previous.ringKey, ringKey)) return []
  return keys.flatMap(({ id }) => {
    const key = previous.unwrappedKeys.get(id)
    // A key that is still being unwrapped can fail. It is then removed from the old ring only.
    return key === undefined || key instanceof Promise ? [] : [[id, key]]
  })
}

function olderRingError(): StorageError {
  return new StorageError('the keys of the scope are older than those that were seen before')
}
