/** The keys of a ring, unwrapped. */

import { StorageUnavailableError } from '../../../errors.js'
import type { DataKey } from '../envelope/record-envelope.js'
import { type BlindIndex, createBlindIndexer } from './blind-index.js'
import { type KeyRing, keyLength } from './key-ring.js'

/** The value itself if it is known, because a promise takes as long as a tenth of an encryption. */
export type MaybePromise<Value> = Value | Promise<Value>

/** A data key, with the blind-index key of its scope. */
export interface UnwrappedKey extends DataKey {
  /** Returns a blind index under the blind-index key. */
  computeBlindIndex(collection: string, indexKey: string): MaybePromise<BlindIndex>
}

/** The bytes that one call to the provider has opened. */
export interface OpenedRing {
  /** The 32 bytes with which the ring was verified. They are the same for every ring of the scope. */
  readonly ringKey: Uint8Array
  /** The blind-index key, then the data keys in the order of the ring, 32 bytes each. */
  readonly material: Uint8Array
}

/** The keys of a ring. */
export interface OpenedKeys extends OpenedRing {
  readonly byId: ReadonlyMap<number, UnwrappedKey>
  /** Overwrites the keys. Encrypting and decrypting with them fails from then on. */
  wipe(): void
}

/** Returns the keys of a ring from their bytes, which they keep. */
export function toOpenedKeys({ keys }: Pick<KeyRing, 'keys'>, opened: OpenedRing): OpenedKeys {
  const { material } = opened
  const indexer = createBlindIndexer(material.subarray(0, keyLength))
  const unwrapped = keys.map(({ id }, index) => {
    const start = keyLength * (1 + index)
    const bytes = material.subarray(start, start + keyLength)
    return { id, bytes, computeBlindIndex: indexer.compute }
  })
  return {
    ...opened,
    byId: new Map(unwrapped.map((key) => [key.id, key])),
    wipe() {
      wipeOpened(opened)
      indexer.wipe()
      // A key of zeros would still be valid.
      for (const key of unwrapped) key.bytes = material.subarray(0, 0)
    },
  }
}

/** Overwrites everything that was opened. */
export function wipeOpened({ ringKey, material }: OpenedRing): void {
  ringKey.fill(0)
  material.fill(0)
}

/** Returns the error for keys that were dropped before a call could use them. */
export function droppedKeysError(): StorageUnavailableError {
  return new StorageUnavailableError('the encryption keys were dropped meanwhile: try again')
}
