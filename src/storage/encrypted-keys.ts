/** The keys of every scope: made when they are first needed, unwrapped once, and read again after a minute. */

import { DecryptionError, StorageError } from '../errors.js'
import type { RecordStore, StoredRecord } from '../store.js'
import { createLabeller, type Labeller } from './encrypted-labels.js'
import { createRingCache } from './encrypted-ring-cache.js'
import { type DataKey, randomBytes } from './envelope.js'
import type { KeyProvider } from './key-provider.js'
import {
  currentKey,
  decodeRing,
  encodeRing,
  type KeyRing,
  ringKey,
  type WrappedKey,
} from './key-ring.js'
import { dataKeyLength, materialLength, unwrapKey, wrapKey } from './key-wrapping.js'

/** An unwrapped key. */
export interface OpenKey extends DataKey {
  readonly labelOf: Labeller
}

/** A ring as it was read, and those of its keys that were needed. */
export interface LoadedRing extends KeyRing {
  readonly body: Uint8Array
  readonly opened: Map<number, Soon<OpenKey>>
}

/** What may be changed of a ring. */
export type RingContent = Pick<KeyRing, 'shifted' | 'keys'>

/** At once where it is known: a promise costs as much as a tenth of a seal. */
export type Soon<Value> = Value | Promise<Value>

/** The keys of a store. What the store rejects with passes through; a provider that fails is a StorageError of 503. */
export interface Keys {
  /** The scope's ring as it was at most a minute ago; undefined if there is none. */
  find(scope: string): Soon<LoadedRing | undefined>
  /** The scope's ring, which is made if there is none. */
  ensure(scope: string): Soon<LoadedRing>
  /** The key that new records are sealed with. @throws DecryptionError if it cannot be unwrapped. */
  current(scope: string, ring: LoadedRing): Soon<OpenKey>
  /** The key of this id, which another process may have made just now. @throws DecryptionError if there is none. */
  byId(scope: string, keyId: number): Soon<OpenKey>
  /**
   * Replaces the ring by what `change` makes of it, whoever else changes it at the same time, and resolves with
   * whether it did: not if `change` answers undefined. The ring is made if there is none.
   */
  change(
    scope: string,
    change: (ring: LoadedRing) => Promise<RingContent | undefined>,
  ): Promise<boolean>
}

/** The keys whose rings lie in these records. */
export function createKeys(records: RecordStore, provider: KeyProvider): Keys {
  const rings = createRingCache((scope, before) => readRing(records, scope, before))
  const making = new Map<string, Promise<LoadedRing>>()

  const make = async (scope: string): Promise<LoadedRing> => {
    const found = await rings.find(scope)
    if (found !== undefined) return found
    const key = await wrapKey(provider, scope, 1, randomBytes(materialLength))
    await records.put(ringKey(scope), encodeRing({ shifted: false, keys: [key] }), 0)
    return existing(await rings.load(scope))
  }
  const ensure: Keys['ensure'] = (scope) => {
    const known = rings.held(scope) ?? making.get(scope)
    if (known !== undefined) return known
    const made = make(scope).finally(() => making.delete(scope))
    making.set(scope, made)
    return made
  }
  const open = (scope: string, { opened }: LoadedRing, key: WrappedKey): Soon<OpenKey> => {
    const known = opened.get(key.id)
    if (known !== undefined) return known
    const opening = openKey(provider, scope, key)
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
      await ensure(scope)
      for (;;) {
        const ring = existing(await rings.load(scope))
        const content = await change(ring)
        if (content === undefined) return false
        const done = await records.put(ringKey(scope), encodeRing(content), ring.version)
        await rings.load(scope)
        if (done) return true
      }
    },
  }
}

function existing(ring: LoadedRing | undefined): LoadedRing {
  if (ring === undefined) throw new StorageError('the keys of the scope are gone')
  return ring
}

async function readRing(
  records: RecordStore,
  scope: string,
  before: LoadedRing | undefined,
): Promise<LoadedRing | undefined> {
  const stored = await records.get(ringKey(scope))
  if (stored === undefined) return undefined
  return before !== undefined && isSame(before, stored)
    ? before
    : { ...decodeRing(stored), body: stored.body, opened: new Map() }
}

/** Compared to the last byte, because a ring that was removed begins at version 1 again. */
function isSame(one: StoredRecord, other: StoredRecord): boolean {
  return (
    one.version === other.version &&
    one.body.length === other.body.length &&
    one.body.every((byte, index) => byte === other.body[index])
  )
}

async function openKey(provider: KeyProvider, scope: string, key: WrappedKey): Promise<OpenKey> {
  const material = await unwrapKey(provider, scope, key)
  const labelOf = createLabeller(material.subarray(dataKeyLength))
  return { id: key.id, bytes: material.subarray(0, dataKeyLength), labelOf }
}
