/** Rotates the keys of a scope: adds a data key, or wraps the data keys with the current KEK. */

import { StorageError } from '../../../errors.js'
import { randomBytes } from '../envelope/record-envelope.js'
import { findProvider, type KeyProvider } from '../providers/key-provider.js'
import { currentKey, type WrappedKey } from './key-ring.js'
import type { KeyStore } from './key-store.js'
import { unwrapKeyOfRing } from './unwrapped-key.js'
import { dataKeyLength, wrapKey } from './wrap-key.js'

const maxKeyId = 65_535

/**
 * Adds a new data key to the scope's ring. It is the current key from then on. The blind-index key
 * stays the same.
 * @throws StorageError (`STORAGE_FAILED`) if the scope has had 65,535 keys; and the errors of
 * `KeyStore.updateRing`.
 */
export async function rotateDataKey(
  keys: KeyStore,
  provider: KeyProvider,
  scope: string,
): Promise<void> {
  await keys.updateRing(scope, async (ring) => {
    const current = currentKey(ring)
    if (current.id === maxKeyId) throw new StorageError('the scope has no key ids left')
    const own = await findProvider(provider, scope)
    const material = await unwrapKeyOfRing(own, scope, ring, current)
    const next = material.slice()
    // The data key comes first. The rest is the blind-index key.
    next.set(randomBytes(dataKeyLength))
    const added = { id: current.id + 1, made: keys.readClock() }
    const key = await wrapKey(own, scope, added, next)
    return { hasReencryptions: ring.hasReencryptions, keys: [...ring.keys, key] }
  })
}

/**
 * Wraps the keys of the scope again, with the current KEK, if they are wrapped with another one. Their
 * ids and times stay the same.
 * @returns true if there was such a key, else false.
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
    return { hasReencryptions: ring.hasReencryptions, keys: await Promise.all(keys) }
  })
}
