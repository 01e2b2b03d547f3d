/** Erases the keys of a deleted vault, and everything left of it in the inner store. */

import { readBlobIds } from '../../base/read-stored.js'
import {
  collectionsOf,
  innerCollection,
  isTombstone,
  vaultRecords,
} from '../../base/stored-records.js'
import { DecryptionError } from '../../errors.js'
import type { RecordKey, RecordStore } from '../../store.js'
import { createEncryptedBlobs } from './blobs.js'
import { isErased, toRingRecordKey } from './keys/key-ring.js'
import { assertCommitted } from './keys/ring-store.js'
import { listInnerRecords } from './list-scopes.js'
import { createEncryptedRecords, decryptRecord, type EncryptedContext } from './records.js'

/**
 * Erases the keys of a deleted vault, then its records, then its blobs. If the call is interrupted,
 * the next one does the rest. If another process still writes something with a cached key, it is
 * left, and the next call deletes it.
 *
 * The ids of blobs are only in encrypted records. So they are read before the ring is erased, and
 * their blobs are deleted before and after that, because the next call can no longer read these
 * records. If a blob's id was read before the vault was seen to be deleted, the blob does not
 * belong to a new vault.
 * @param keyRings The store of the rings, if it is not the inner store.
 * @returns true if keys existed until now.
 * @throws RangeError if the scope has keys or a record of a vault, and is not a deleted vault.
 * @throws StorageError (`STORAGE_FAILED`) if the deletion of the vault can still be rolled back.
 */
export async function eraseScope(
  context: EncryptedContext,
  keyRings: RecordStore | undefined,
  scope: string,
): Promise<boolean> {
  const { records, rings, keys } = context
  const decrypted = createEncryptedRecords(context)
  const readVault = () => decrypted.get({ collection: vaultRecords.collection, id: scope })
  const assertDeleted = async (): Promise<void> => {
    const vault = await readVault()
    if (vault === undefined || !isTombstone(vaultRecords, scope, vault.body))
      throw new RangeError('scopes must contain only deleted vaults: call deleteVault first')
    // Rolling back the deletion would bring back the vault, but neither its ring nor its files.
    await assertCommitted(records)
  }
  const blobs = createEncryptedBlobs(context)
  if ((await readVault()) === undefined) {
    const ring = await rings.get(scope)
    if (ring === undefined || isErased(ring, rings.use)) return false
  }
  await assertDeleted()
  const blobIds = await findBlobIds(context, scope)
  await assertDeleted()
  for (const id of blobIds) await blobs.delete(id)
  const hadKeys = await keys.eraseRing(scope, assertDeleted)
  if (hadKeys === undefined) return false
  // A restored backup or an interrupted move may have left a copy of the ring.
  if (keyRings !== undefined) {
    const copy = await records.get(toRingRecordKey(scope, rings.use))
    if (copy !== undefined && !isErased(copy, rings.use))
      await records.delete(toRingRecordKey(scope, rings.use), copy.version)
  }
  for (const collection of collectionsOf(scope).map(innerCollection))
    for await (const { id, version } of listInnerRecords(records, collection))
      await deleteRecord(records, { collection, id }, version)
  for (const id of blobIds) await blobs.delete(id)
  return hadKeys
}

/** Deletes a record, even if it has changed meanwhile. */
async function deleteRecord(records: RecordStore, key: RecordKey, version: number): Promise<void> {
  let stored: { readonly version: number } | undefined = { version }
  while (stored !== undefined && !(await records.delete(key, stored.version)))
    stored = await records.get(key)
}

/**
 * Returns the ids of the blobs to which records of the scope refer, such as those of interrupted
 * uploads. If its keys cannot be obtained, returns the ids that were read so far.
 */
async function findBlobIds(context: EncryptedContext, scope: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const collection of collectionsOf(scope))
    for await (const row of listInnerRecords(context.records, innerCollection(collection))) {
      try {
        const { body } = await decryptRecord(context, { collection, id: row.id }, row)
        for (const id of readBlobIds(collection, body))
          if (id.startsWith(`${scope}/`)) found.add(id)
      } catch (error) {
        if (!(error instanceof DecryptionError)) return found
      }
    }
  return found
}
