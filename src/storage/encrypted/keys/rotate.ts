/** Gives scopes new keys. */

import { StorageError } from '../../../errors.js'
import { randomBytes } from '../envelope/record-envelope.js'
import type { KeyProvider } from '../providers/key-provider.js'
import { currentKey } from './key-ring.js'
import type { KeyStore } from './key-store.js'
import { unwrapKeyOf } from './ring-reader.js'
import { dataKeyLength, wrapKey } from './wrap-key.js'

const mostKeys = 65_535

/** Adds a data key to the scope's ring, which is the current one from now on. The label key stays the same. */
export async function rotateScope(
  keys: KeyStore,
  provider: KeyProvider,
  scope: string,
): Promise<void> {
  await keys.change(scope, async (ring) => {
    const current = currentKey(ring)
    if (current.id === mostKeys) throw new StorageError('the scope has had all its keys')
    const material = await unwrapKeyOf(provider, scope, ring, current)
    const next = material.slice()
    next.set(randomBytes(dataKeyLength))
    const key = await wrapKey(provider, scope, current.id + 1, next)
    return { shifted: ring.shifted, keys: [...ring.keys, key] }
  })
}

/** Wraps with the current KEK every key of the scope that is under another; resolves with whether there was one. */
export function rewrapScope(
  keys: KeyStore,
  provider: KeyProvider,
  scope: string,
): Promise<boolean> {
  const isCurrent = ({ kekId }: { readonly kekId: string }): boolean =>
    kekId === provider.currentKekId
  return keys.change(scope, async (ring) => {
    if (ring.keys.every(isCurrent)) return undefined
    const rewrapped = ring.keys.map(async (key) =>
      isCurrent(key)
        ? key
        : wrapKey(provider, scope, key.id, await unwrapKeyOf(provider, scope, ring, key)),
    )
    return { shifted: ring.shifted, keys: await Promise.all(rewrapped) }
  })
}
