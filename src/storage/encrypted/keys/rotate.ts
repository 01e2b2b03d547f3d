/** Rotates the data key of a scope, and rewraps its data keys with the current KEK. */

import { StorageError } from '../../../errors.js'
import { randomBytes } from '../envelope/record-envelope.js'
import type { KeyProvider } from '../providers/key-provider.js'
import { currentKey } from './key-ring.js'
import type { KeyStore } from './key-store.js'
import { unwrapKeyOfRing } from './loaded-ring.js'
import { dataKeyLength, wrapKey } from './wrap-key.js'

const maxKeyId = 65_535

/**
 * Adds a new data key to the scope's ring, which is the current one from then on. The blind-index
 * key stays the same. Rejects with the errors of `KeyStore.updateRing`, and with a StorageError
 * (`STORAGE_FAILED`) if the scope has had 65,535 keys.
 */
export async function rotateDataKey(
  keys: KeyStore,
  provider: KeyProvider,
  scope: string,
): Promise<void> {
  await keys.updateRing(scope, async (ring) => {
    const current = currentKey(ring)
    if (current.id === maxKeyId) throw new StorageError('the scope has no key ids left')
    const material = await unwrapKeyOfRing(provider, scope, ring, current)
    const next = material.slice()
    next.set(randomBytes(dataKeyLength))
    const key = await wrapKey(provider, scope, current.id + 1, next)
    return { hasReencryptions: ring.hasReencryptions, keys: [...ring.keys, key] }
  })
}

/**
 * Wraps all keys of the scope that are under another KEK with the current one. Rejects with the
 * errors of `KeyStore.updateRing`.
 * @returns true if there was such a key, else false.
 */
export function rewrapDataKeys(
  keys: KeyStore,
  provider: KeyProvider,
  scope: string,
): Promise<boolean> {
  const isCurrent = ({ kekId }: { readonly kekId: string }): boolean =>
    kekId === provider.currentKekId
  return keys.updateRing(scope, async (ring) => {
    if (ring.keys.every(isCurrent)) return undefined
    const rewrapped = ring.keys.map(async (key) =>
      isCurrent(key)
        ? key
        : wrapKey(provider, scope, key.id, await unwrapKeyOfRing(provider, scope, ring, key)),
    )
    return { hasReencryptions: ring.hasReencryptions, keys: await Promise.all(rewrapped) }
  })
}
