/** A key ring in use: verified, with those of its keys that were unwrapped. */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import { DecryptionError } from '../../../errors.js'
import type { DataKey } from '../envelope/record-envelope.js'
import type { KeyProvider } from '../providers/key-provider.js'
import { type BlindIndexer, createBlindIndexer } from './blind-index.js'
import type { KeyRing, WrappedKey } from './key-ring.js'
import { deriveRingKey } from './key-ring-mac.js'
import { dataKeyLength, unwrapKey } from './wrap-key.js'

/** The value itself if it is known: a promise takes as long as a tenth of an encryption. */
export type MaybePromise<Value> = Value | Promise<Value>

/** A data key, with the blind-index key of its scope. */
export interface UnwrappedKey extends DataKey {
  readonly computeBlindIndex: BlindIndexer
  /** Overwrites the key. Encrypting and decrypting with it fails from then on. */
  wipe(): void
}

/** A key ring whose MAC was verified. */
export interface LoadedRing extends KeyRing {
  /** The bytes of the record. */
  readonly body: Uint8Array
  /** The 32 bytes that the ring was verified with, the same for every key of the scope. */
  readonly ringKey: Uint8Array
  /** By key id. Only keys that were needed. */
  readonly unwrappedKeys: Map<number, MaybePromise<UnwrappedKey>>
}

/** Returns a key from its 64 bytes: the data key, then the blind-index key. */
export function toUnwrappedKey({ id }: WrappedKey, material: Uint8Array): UnwrappedKey {
  const key = {
    id,
    bytes: material.subarray(0, dataKeyLength),
    computeBlindIndex: createBlindIndexer(material.subarray(dataKeyLength)),
    wipe() {
      material.fill(0)
      // Zeros would be a valid key.
      key.bytes = material.subarray(0, 0)
    },
  }
  return key
}

/**
 * Returns the 64 bytes of a key of a ring. Rejects with the errors of `unwrapKey`, and with a
 * DecryptionError if the blind-index key of the unwrapped key leads to another ring key.
 */
export async function unwrapKeyOfRing(
  provider: KeyProvider,
  scope: string,
  { ringKey }: Pick<LoadedRing, 'ringKey'>,
  key: WrappedKey,
): Promise<Uint8Array> {
  const material = await unwrapKey(provider, scope, key)
  if (!areBytesEqual(await deriveRingKey(material), ringKey)) throw new DecryptionError()
  return material
}
