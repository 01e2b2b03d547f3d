/** Rotates the keys of a scope: adds a data key, or wraps the data keys with the current KEK. */

import { StorageError } from '../../../errors.js'
import { findProvider, type KeyProvider } from '../providers/key-provider.js'
import { nameKeys, newestKey, type RingContent, type WrappedKey } from './key-ring.js'
import type { KeyStore } from './key-store.js'
import type { OpenRing } from './scope-entry.js'
import { unwrapKeyOfRing } from './unwrapped-key.js'
import { withNewDataKey, wrapKey } from './wrap-key.js'

const maxKeyId = 65_535

/**
 * Adds a new data key to the scope's ring. It is the current key from then on. The blind-index key
 * stays the same.
 * @throws StorageError (`STORAGE_FAILED`) if the scope has had 65,535 keys, and the errors of
 * `KeyStore.updateRing`.
 */
export async function rotateDataKey(
  keys: KeyStore,
  provider: KeyProvider,
  scope: string,
): Promise<void> {
  await keys.updateRing(scope, (ring) => addDataKeys(provider, scope, ring, 1, keys.readClock()))
}

/**
 * Returns the content of a ring with new data keys at its end. The blind-index key stays the same.
 * @param made When they are made.
 * @throws StorageError (`STORAGE_FAILED`) if the scope would have had more than 65,535 keys.
 */
export async function addDataKeys(
  provider: KeyProvider,
  scope: string,
  ring: OpenRing,
  count: number,
  made: number,
): Promise<RingContent> {
  const newest = newestKey(ring)
  if (newest.id > maxKeyId - count)
    throw new StorageError(`${nameKeys(ring.use, scope)} have no ids left`)
  const own = await findProvider(provider, scope)
  const material = await unwrapKeyOfRing(own, scope, ring, newest)
  const added: WrappedKey[] = []
  for (let id = newest.id + 1; id <= newest.id + count; id++)
    added.push(await wrapKey(own, scope, { id, made }, withNewDataKey(material)))
  return { ...ring, keys: [...ring.keys, ...added] }
}

/**
 * Wraps the keys of the scope with the current KEK, unless they already are. Their ids and times
 * stay the same.
 * @returns true if a key was wrapped again.
 * @throws the errors of `KeyStore.updateRing`.
 */
export function rewrapDataKeys(
  keys: KeyStore,
  provider: KeyProvider,
  scope: string,
): Promise<boolean> {
  return keys.updateRing(scope, async (ring) => {
    const own = await findProvider(provider, scope)
    const isCurrent = ({ kekId }: WrappedKey): boolean => kekId === own.currentKekId
    if (ring.keys.every(isCurrent)) return undefined
    const keys = ring.keys.map(async (key) =>
      isCurrent(key) ? key : wrapKey(own, scope, key, await unwrapKeyOfRing(own, scope, ring, key)),
    )
    return { ...ring, keys: await Promise.all(keys) }
  })
}
