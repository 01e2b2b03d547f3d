/** Moves the key ring of a scope from the inner store to a store of key rings. */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import { StorageError } from '../../../errors.js'
import type { RecordStore, StoredRecord } from '../../../store.js'
import { randomBytes } from '../envelope/record-envelope.js'
import {
  decodeRing,
  isErased,
  keyLength,
  nameKeys,
  newestKey,
  toRingRecordKey,
  vaultRings,
} from './key-ring.js'
import { authenticateRing, verifyRing } from './key-ring-mac.js'
import { wipeOpened } from './opened-keys.js'
import type { RingOpener } from './ring-opener.js'
import { assertCommitted } from './ring-store.js'

const noBytes = new Uint8Array(0)

/**
 * Seals the ring again in `keyRings`, at its version there, and removes it from the inner store. If
 * the call is interrupted in between, both stores have the ring. The one in `keyRings` is then
 * used, and the next call removes the other. If an old process has added keys to the inner ring in
 * the meantime, they are kept.
 * @returns false if the inner store has no ring of the scope.
 * @throws DecryptionError if one of the rings is not authentic.
 * @throws StorageError (`STORAGE_FAILED`) if the inner ring was erased and the other was not.
 * @throws RangeError if both stores are the same.
 */
export async function moveRing(
  inner: RecordStore,
  keyRings: RecordStore,
  opener: RingOpener,
  scope: string,
): Promise<boolean> {
  const key = toRingRecordKey(scope, vaultRings)
  for (;;) {
    const source = await inner.get(key)
    if (source === undefined) return false
    const target = await keyRings.get(key)
    // Erased keys stay erased, even if a backup has brought their ring back.
    if (target === undefined || !isErased(target, vaultRings)) {
      const version = target?.version ?? 0
      const moved = await sealAgain(opener, scope, source, target)
      if (!(await keyRings.put(key, { body: moved.body }, version))) continue
      await assertCommitted(keyRings)
      const now = await inner.get(key)
      if (now?.version !== source.version && areBytesEqual(now?.body ?? noBytes, moved.body))
        throw sameStoreError()
    } else if (areBytesEqual(source.body, target.body)) {
      // An erased ring that was moved has a different MAC.
      throw sameStoreError()
    }
    if (await inner.delete(key, source.version)) return true
  }
}

/** Returns the error for moving rings to the store that they are already in. */
export function sameStoreError(): RangeError {
  return new RangeError('keyRings must be another store than the inner one')
}

/** Returns the content of the ring that has more keys, as the record that follows `target`. */
async function sealAgain(
  opener: RingOpener,
  scope: string,
  source: StoredRecord,
  target: StoredRecord | undefined,
): Promise<{ readonly body: Uint8Array }> {
  const version = (target?.version ?? 0) + 1
  const ring = decodeRing(source, vaultRings)
  if (ring.keys.length === 0) {
    if (target !== undefined)
      throw new StorageError(`${nameKeys(ring.use, scope)} were erased in one store only`)
    return authenticateRing(randomBytes(keyLength), scope, version, ring)
  }
  const opened = await opener.open(scope, ring)
  try {
    const other = target === undefined ? ring : decodeRing(target, vaultRings)
    if (other !== ring) await verifyRing(opened.ringKey, scope, other)
    const newest = newestKey(ring).id > newestKey(other).id ? ring : other
    const hasReencryptions = ring.hasReencryptions || other.hasReencryptions
    return await authenticateRing(opened.ringKey, scope, version, { ...newest, hasReencryptions })
  } finally {
    wipeOpened(opened)
  }
}
