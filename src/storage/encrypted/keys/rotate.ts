/** Rotates the keys of a scope: adds data keys, or wraps the secret with the current KEK. */

import { concatBytes } from '../../../base/concat-bytes.js'
import { StorageError } from '../../../errors.js'
import { randomBytes } from '../envelope/record-envelope.js'
import { findProvider, type KeyProvider } from '../providers/key-provider.js'
import type { OpenRing, RingChange } from './key-cache.js'
import { keyLength, maxKeyId, nameKeys, newestKey } from './key-ring.js'
import type { KeyStore } from './key-store.js'
import type { RingOpener } from './ring-opener.js'

/**
 * Adds a new data key to the scope's ring. It is the current key from then on. The blind-index key
 * stays the same.
 * @throws StorageError (`STORAGE_FAILED`) if the scope has had 65,535 keys, and the errors of
 * `KeyStore.updateRing`.
 */
export async function rotateDataKey(keys: KeyStore, scope: string): Promise<void> {
  await keys.updateRing(scope, (ring) =>
    addDataKeys(keys.opener, scope, ring, 1, keys.readKeyTime()),
  )
}

/**
 * Returns a ring with new data keys at its end, under a new secret, so that a secret that has leaked
 * opens none of the new keys. The blind-index key stays the same.
 * @param made When they are made.
 * @throws StorageError (`STORAGE_FAILED`) if the scope would have had more than 65,535 keys.
 */
export async function addDataKeys(
  opener: RingOpener,
  scope: string,
  ring: OpenRing,
  count: number,
  made: number,
): Promise<RingChange> {
  const { id: newestId } = newestKey(ring)
  if (newestId > maxKeyId - count)
    throw new StorageError(`${nameKeys(ring.use, scope)} have no ids left`)
  const material = concatBytes([ring.opened.material, randomBytes(keyLength * count)])
  const added = Array.from({ length: count }, (_, index) => ({ id: newestId + 1 + index, made }))
  const sealed = await opener.seal(scope, [...ring.keys, ...added], material)
  return { content: { ...ring, ...sealed }, material }
}

/**
 * Seals the keys of the scope under a new secret, which the current KEK wraps, unless it wraps the
 * present one. The ids and times of the keys stay the same.
 * @returns true if there is a new secret.
 * @throws the errors of `KeyStore.updateRing`.
 */
export function rewrapRing(keys: KeyStore, provider: KeyProvider, scope: string): Promise<boolean> {
  return keys.updateRing(scope, async (ring) => {
    const { currentKekId } = await findProvider(provider, scope)
    if (ring.kekId === currentKekId) return undefined
    const sealed = await keys.opener.seal(scope, ring.keys, ring.opened.material)
    return { content: { ...ring, ...sealed } }
  })
}
