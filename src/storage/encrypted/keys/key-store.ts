/** The keys of every scope: made when they are first needed, unwrapped once, and read again after a minute. */

import { DecryptionError, StorageError } from '../../../errors.js'
import type { RecordInput, RecordStore } from '../../../store.js'
import { type DataKey, randomBytes } from '../envelope/record-envelope.js'
import { type KeyProvider, withinKeyTimeout } from '../providers/key-provider.js'
import type { BlindIndex } from './blind-index.js'
import { currentKey, type KeyRing, type RingContent, ringKey, type WrappedKey } from './key-ring.js'
import { deriveRingKey, sealRing } from './key-ring-mac.js'
import { createRingCache } from './loading-cache.js'
import { createRingReader, openKey, unwrapKeyOf } from './ring-reader.js'
import { keyMaterialLength, wrapKey } from './wrap-key.js'

/** An unwrapped key. */
export interface OpenKey extends DataKey {
  readonly labelOf: BlindIndex
}

/** A ring that was read and verified, and those of its keys that were needed. */
export interface LoadedRing extends KeyRing {
  readonly body: Uint8Array
  /** The 32 bytes that it was verified with, the same for every key of the scope. */
  readonly ringKey: Uint8Array
  readonly opened: Map<number, MaybePromise<OpenKey>>
}

/** At once where it is known: a promise costs as much as a tenth of a seal. */
export type MaybePromise<Value> = Value | Promise<Value>

/**
 * The keys of a store. What the store rejects with passes through. A provider that fails, and a call of the provider or
 * of the store that has not settled after 10 s, is a StorageError of 503; what waited for it is then forgotten. A
 * ring that is not authentic is a DecryptionError, and one that is older than this process has seen, or is gone, a
 * StorageError of 500.
 */
export interface KeyStore {
  /** The scope's ring as it was at most a minute ago; undefined if there is none. */
  find(scope: string): MaybePromise<LoadedRing | undefined>
  /** The scope's ring, which is made if there is none. */
  ensure(scope: string): MaybePromise<LoadedRing>
  /** The key that new records are sealed with. @throws DecryptionError if it cannot be unwrapped. */
  current(scope: string, ring: LoadedRing): MaybePromise<OpenKey>
  /** The key of this id, which another process may have made just now. @throws DecryptionError if there is none. */
  byId(scope: string, keyId: number): MaybePromise<OpenKey>
  /**
   * Replaces the ring by what `change` makes of it, whoever else changes it at the same time, and resolves with
   * whether it did: not if `change` answers undefined. Rejects with a RangeError if there is no ring; none is made.
   */
  change(
    scope: string,
    change: (ring: LoadedRing) => Promise<RingContent | undefined>,
  ): Promise<boolean>
}

/** The keys whose rings lie in these records. */
export function createKeys(records: RecordStore, provider: KeyProvider): KeyStore {
  const rings = createRingCache(createRingReader(records, provider))
  const inFlight = new Map<string, Promise<LoadedRing>>()

  const putRing = (scope: string, ring: RecordInput, seen: number): Promise<boolean> =>
    withinKeyTimeout('the store', () => records.put(ringKey(scope), ring, seen))
  const make = async (scope: string): Promise<LoadedRing> => {
    const found = await rings.find(scope)
    if (found !== undefined) return found
    const material = randomBytes(keyMaterialLength)
    const content = { shifted: false, keys: [await wrapKey(provider, scope, 1, material)] }
    const ring = await sealRing(await deriveRingKey(material), scope, 1, content)
    await putRing(scope, ring, 0)
    return assertPresent(await rings.load(scope))
  }
  const ensure: KeyStore['ensure'] = (scope) => {
    const known = rings.held(scope) ?? inFlight.get(scope)
    if (known !== undefined) return known
    const made = make(scope).finally(() => inFlight.delete(scope))
    inFlight.set(scope, made)
    return made
  }
  const open = (scope: string, ring: LoadedRing, key: WrappedKey): MaybePromise<OpenKey> => {
    const { opened } = ring
    const known = opened.get(key.id)
    if (known !== undefined) return known
    const opening = unwrapKeyOf(provider, scope, ring, key).then((material) =>
      openKey(key, material),
    )
    opened.set(key.id, opening)
    opening.then(
      (openKey) => opened.set(key.id, openKey),
      () => opened.delete(key.id),
    )
    return opening
  }
  const search = async (scope: string, keyId: number): Promise<OpenKey> => {
    for (const look of [rings.find, rings.load]) {
      const ring = await look(scope)
      const key = ring?.keys.find(({ id }) => id === keyId)
      if (ring !== undefined && key !== undefined) return open(scope, ring, key)
    }
    throw new DecryptionError()
  }

  return {
    find: rings.find,
    ensure,
    current: (scope, ring) => open(scope, ring, currentKey(ring)),
    byId: (scope, keyId) => rings.held(scope)?.opened.get(keyId) ?? search(scope, keyId),
    async change(scope, change) {
      for (;;) {
        const ring = await rings.load(scope)
        if (ring === undefined) throw new RangeError('scopes must name scopes that have keys')
        const content = await change(ring)
        if (content === undefined) return false
        const changed = await sealRing(ring.ringKey, scope, ring.version + 1, content)
        const done = await putRing(scope, changed, ring.version)
        await rings.load(scope)
        if (done) return true
      }
    },
  }
}

function assertPresent(ring: LoadedRing | undefined): LoadedRing {
  if (ring === undefined) throw new StorageError('the keys of the scope are gone')
  return ring
}
