/** Unwraps the keys of a scope, and proves with one of them that the key ring is authentic. */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import type { DataKey } from '../envelope/record-envelope.js'
import { findProvider, type KeyProvider } from '../providers/key-provider.js'
import { type BlindIndex, createBlindIndexer } from './blind-index.js'
import type { KeyRing, WrappedKey } from './key-ring.js'
import { deriveRingKey, verifyRing } from './key-ring-mac.js'
import { dataKeyLength, unwrapKey } from './wrap-key.js'

/** The value itself if it is known, because a promise takes as long as a tenth of an encryption. */
export type MaybePromise<Value> = Value | Promise<Value>

/** A data key, with the blind-index key of its scope. */
export interface UnwrappedKey extends DataKey {
  /** Returns a blind index under the blind-index key. */
  computeBlindIndex(collection: string, indexKey: string): MaybePromise<BlindIndex>
  /** Overwrites the key. Encrypting and decrypting with it fails from then on. */
  wipe(): void
}

/** Returns a key of a scope from its 64 bytes: the data key, then the blind-index key. */
export function toUnwrappedKey({ id }: WrappedKey, material: Uint8Array): UnwrappedKey {
  const indexer = createBlindIndexer(material.subarray(dataKeyLength))
  const key = {
    id,
    bytes: material.subarray(0, dataKeyLength),
    computeBlindIndex: indexer.compute,
    wipe() {
      material.fill(0)
      indexer.wipe()
      // A key of zeros would still be valid.
      key.bytes = material.subarray(0, 0)
    },
  }
  return key
}

/**
 * Returns the 64 bytes of a key of a ring. Rejects with the errors of `unwrapKey`, and with a
 * DecryptionError if the unwrapped key's blind-index key leads to a different ring key.
 *
 * @param provider The provider of the scope.
 */
export async function unwrapKeyOfRing(
  provider: KeyProvider,
  scope: string,
  { ringKey }: { readonly ringKey: Uint8Array },
  key: WrappedKey,
): Promise<Uint8Array> {
  const material = await unwrapKey(provider, scope, key)
  if (!areBytesEqual(await deriveRingKey(material), ringKey)) throw undecryptableError()
  return material
}

/** The keys that one call to the provider has opened. */
export interface OpenedRing {
  /** The 32 bytes with which the ring was verified. They are the same for every key of the scope. */
  readonly ringKey: Uint8Array
  /** The key from which the ring key was derived. */
  readonly key: UnwrappedKey
}

/**
 * Verifies the MAC of a ring with the last of its keys that the provider can unwrap. That takes one
 * call to the provider.
 * @throws DecryptionError if the MAC is invalid, or if the provider can unwrap none of the keys.
 */
export async function openRing(
  provider: KeyProvider,
  scope: string,
  ring: KeyRing,
): Promise<OpenedRing> {
  const own = await findProvider(provider, scope)
  const key = ring.keys.findLast(({ kekId }) => own.kekIds.includes(kekId))
  if (key === undefined) throw undecryptableError()
  const material = await unwrapKey(own, scope, key)
  const ringKey = await deriveRingKey(material)
  await verifyRing(ringKey, scope, ring)
  return { ringKey, key: toUnwrappedKey(key, material) }
}

/** Overwrites everything that was opened. */
export function wipeOpened({ ringKey, key }: OpenedRing): void {
  ringKey.fill(0)
  key.wipe()
}
