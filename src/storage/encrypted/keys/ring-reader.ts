/** Reads rings, and refuses those that are not authentic or are older than this process has seen. */

import { DecryptionError, StorageError } from '../../../errors.js'
import type { RecordStore } from '../../../store.js'
import { type KeyProvider, withinKeyTimeout } from '../providers/key-provider.js'
import { createBlindIndex } from './blind-index.js'
import {
  currentKey,
  decodeRing,
  isSameBytes,
  type KeyRing,
  ringKey,
  type WrappedKey,
} from './key-ring.js'
import { deriveRingKey, verifyRing } from './key-ring-mac.js'
import type { LoadedRing, OpenKey } from './key-store.js'
import type { ReadRing } from './loading-cache.js'
import { createRefusedRings } from './refused-rings.js'
import { dataKeyLength, unwrapKey } from './wrap-key.js'

/** The most recent ring of a scope, as far as this process has seen. */
interface SeenRing {
  readonly version: number
  readonly keyId: number
  readonly ringKey: Uint8Array
}

/**
 * Reads the rings of these records. For each scope, the version and the current key id of its last ring and the key
 * that verifies it (some 300 bytes) are remembered as long as the process lives.
 *
 * `ReadRing` rejects with a DecryptionError if a ring is not authentic, for 5 s without another look at the same bytes, and with a StorageError of 500 if it is older
 * than one that was seen before, or gone.
 */
export function createRingReader(records: RecordStore, provider: KeyProvider): ReadRing {
  const seen = new Map<string, SeenRing>()
  const unlessRefused = createRefusedRings()

  /** Only what was seen before the read began can show that a ring is old: reads may overtake each other. */
  return async (scope, before) => {
    const last = seen.get(scope)
    const stored = await withinKeyTimeout('the store', () => records.get(ringKey(scope)))
    if (stored === undefined) {
      if (last !== undefined) throw new StorageError('the keys of the scope are gone')
      return undefined
    }
    if (last !== undefined && stored.version < last.version) throw olderRingError()
    if (before?.version === stored.version && isSameBytes(before.body, stored.body)) return before
    const ring = await unlessRefused(scope, stored, async () =>
      authenticate(provider, scope, decodeRing(stored), last),
    )
    const opened = new Map([...openedBefore(ring, before), ...ring.opened])
    const keyId = currentKey(ring).id
    if (last !== undefined && keyId < last.keyId) throw olderRingError()
    if (ring.version > (seen.get(scope)?.version ?? 0))
      seen.set(scope, { version: ring.version, keyId, ringKey: ring.ringKey })
    return { ...ring, opened, body: stored.body }
  }
}

/** The key as it is used, from its 64 bytes. */
export function openKey({ id }: WrappedKey, material: Uint8Array): OpenKey {
  const labelOf = createBlindIndex(material.subarray(dataKeyLength))
  return { id, bytes: material.subarray(0, dataKeyLength), labelOf }
}

/**
 * The 64 bytes of a key of a ring.
 * @throws DecryptionError if it cannot be unwrapped, or if its label key is not the one of its ring.
 */
export async function unwrapKeyOf(
  provider: KeyProvider,
  scope: string,
  { ringKey }: Pick<LoadedRing, 'ringKey'>,
  key: WrappedKey,
): Promise<Uint8Array> {
  const material = await unwrapKey(provider, scope, key)
  if (!isSameBytes(await deriveRingKey(material), ringKey)) throw new DecryptionError()
  return material
}

/**
 * Verifies a ring: with the ring key that is known for the scope, or with that of its last key that the provider can
 * unwrap, which costs a call of the provider.
 */
async function authenticate(
  provider: KeyProvider,
  scope: string,
  ring: KeyRing,
  last: SeenRing | undefined,
): Promise<Omit<LoadedRing, 'body'>> {
  if (last !== undefined) {
    await verifyRing(last.ringKey, scope, ring)
    return { ...ring, ringKey: last.ringKey, opened: new Map() }
  }
  const key = ring.keys.findLast(({ kekId }) => provider.kekIds.includes(kekId))
  if (key === undefined) throw new DecryptionError()
  const material = await unwrapKey(provider, scope, key)
  const derived = await deriveRingKey(material)
  await verifyRing(derived, scope, ring)
  return { ...ring, ringKey: derived, opened: new Map([[key.id, openKey(key, material)]]) }
}

/**
 * The keys that were unwrapped of the ring before and that this one still has: a key's id never means other bytes. Only
 * a ring with the same ring key can have any of them.
 */
function openedBefore(
  { keys, ringKey }: Omit<LoadedRing, 'body'>,
  before: LoadedRing | undefined,
): [number, OpenKey][] {
  if (before === undefined || !isSameBytes(before.ringKey, ringKey)) return []
  return keys.flatMap(({ id }) => {
    const known = before.opened.get(id)
    // One that is still being unwrapped can fail, and would be taken out of the ring before only.
    return known === undefined || known instanceof Promise ? [] : [[id, known]]
  })
}

function olderRingError(): StorageError {
  return new StorageError('the keys of the scope are older than those that were seen before')
}
