/** Prevents the creation of a vault whose keys were erased, or are being erased. */

import { isTombstone, vaultRecords } from '../../base/stored-records.js'
import type { RecordStore } from '../../store.js'
import type { EncryptedContext } from './records.js'

/**
 * Wraps the record store of an encrypted store. Before a vault's record is written, the vault's key
 * ring is read from the store, even if it is cached. After a vault was written over a deleted one,
 * its ring is written again. If another process has read the old ring to erase it, and has seen
 * that the vault was deleted, it then loses the race for the ring, reads both again and finds the
 * new vault. If that process wins, the vault is marked as deleted again, and `put` rejects with the
 * StorageError of erased keys.
 */
export function guardVaults({ rings, keys }: EncryptedContext, records: RecordStore): RecordStore {
  const put: RecordStore['put'] = async (key, record, expectedVersion) => {
    const { collection, id } = key
    const isVault =
      collection === vaultRecords.collection && !isTombstone(vaultRecords, id, record.body)
    if (!isVault) return records.put(key, record, expectedVersion)
    await keys.assertNotErased(id)
    const before = expectedVersion > 0 ? await records.get(key) : undefined
    const isWritten = await records.put(key, record, expectedVersion)
    if (!isWritten || before === undefined || !isTombstone(vaultRecords, id, before.body))
      return isWritten
    try {
      if ((await rings.get(id)) !== undefined)
        await keys.updateRing(id, async (ring) => ({ content: ring }))
    } catch (error) {
      const deleted = { body: vaultRecords.tombstoneOf(id) }
      await records.put(key, deleted, expectedVersion + 1).catch(() => {})
      throw error
    }
    return true
  }
  return { ...records, put }
}
