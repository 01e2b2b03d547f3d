/** A key ring in use: verified, with those of its keys that were unwrapped. */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import { yieldToEventLoop } from '../../../base/pacer.js'
import { DecryptionError } from '../../../errors.js'
import type { DataKey } from '../envelope/record-envelope.js'
import type { KeyProvider } from '../providers/key-provider.js'
import { type BlindIndex, createBlindIndexer } from './blind-index.js'
import type { KeyRing, WrappedKey } from './key-ring.js'
import { deriveRingKey } from './key-ring-mac.js'
import { dataKeyLength, unwrapKey } from './wrap-key.js'

/** The value itself if it is known: a promise takes as long as a tenth of an encryption. */
export type MaybePromise<Value> = Value | Promise<Value>

/** A data key, with the blind-index key of its scope. */
export interface UnwrappedKey extends DataKey {
  /** Returns a blind index under the blind-index key. */
  computeBlindIndex(collection: string, indexKey: string): MaybePromise<BlindIndex>
  /** Overwrites the key. Encrypting and decrypting with it fails from then on. */
  wipe(): void
}

/** Everything of a scope that a KEK has opened. All readings of its ring share it. */
export interface OpenedScope {
  /** The 32 bytes that the ring was verified with, the same for every key of the scope. */
  readonly ringKey: Uint8Array
  /** By key id. Only keys that were needed. */
  readonly keys: Map<number, MaybePromise<UnwrappedKey>>
  /** When its keys were last asked for: a time of `performance.now()`. */
  since: number
  /** True if a call has used a key since then. */
  isUsed: boolean
  /** Called when it is dropped. */
  onDrop: () => void
  /** True if it was dropped, or has reached its age. It must not be used any more. */
  readonly isDropped: boolean
  /** Keeps it from being overwritten after it was dropped, until the result is called. */
  hold(): () => void
  /**
   * Overwrites everything as soon as nothing holds it, and not before the current turn of the event
   * loop ends, so that a call can use a key that it was just given.
   */
  drop(): void
  /** Overwrites everything now. */
  wipe(): void
}

/** A key ring whose MAC was verified. */
export interface LoadedRing extends KeyRing {
  /** The bytes of the record. */
  readonly body: Uint8Array
  readonly opened: OpenedScope
}

/**
 * Returns an opened scope without keys.
 * @param since When the provider was asked for the key that led to `ringKey`.
 */
export function createOpenedScope(
  ringKey: Uint8Array,
  since: number,
  maxAgeMs: number,
): OpenedScope {
  const keys: OpenedScope['keys'] = new Map()
  let holds = 0
  let isDropped = false
  const setDropped = (): void => {
    if (!isDropped) scope.onDrop()
    isDropped = true
  }
  const wipe = (): void => {
    setDropped()
    ringKey.fill(0)
    // A key that is still being unwrapped is rejected, because it has another ring key now.
    for (const key of keys.values()) if (!(key instanceof Promise)) key.wipe()
    keys.clear()
  }
  const wipeUnlessHeld = async (): Promise<void> => {
    await yieldToEventLoop()
    if (holds === 0) wipe()
  }
  const scope: OpenedScope = {
    ringKey,
    keys,
    since,
    isUsed: false,
    onDrop() {},
    get isDropped() {
      return isDropped || performance.now() - scope.since >= maxAgeMs
    },
    hold() {
      let isHeld = true
      holds++
      return () => {
        if (!isHeld) return
        isHeld = false
        if (--holds === 0 && isDropped) void wipeUnlessHeld()
      }
    },
    drop() {
      if (isDropped) return
      setDropped()
      void wipeUnlessHeld()
    },
    wipe,
  }
  return scope
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
      // Zeros would be a valid key.
      key.bytes = material.subarray(0, 0)
    },
  }
  return key
}

/**
 * Returns the 64 bytes of a key of a ring. Rejects with the errors of `unwrapKey`, and with a
 * DecryptionError if the blind-index key of the unwrapped key leads to another ring key.
 *
 * @param provider The provider of the scope.
 */
export async function unwrapKeyOfRing(
  provider: KeyProvider,
  scope: string,
  { opened }: Pick<LoadedRing, 'opened'>,
  key: WrappedKey,
): Promise<Uint8Array> {
  const material = await unwrapKey(provider, scope, key)
  if (!areBytesEqual(await deriveRingKey(material), opened.ringKey)) throw new DecryptionError()
  return material
}
