/** Prevents that a vault is created whose keys were erased, or are being erased. */

import { isDeletedVault, type RecordStore, toDeletedVault, vaultCollection } from '../../store.js'
import type { EncryptedContext } from './records.js'

/**
 * Wraps the record store of an encrypted store. Before the record of a vault is written, the key ring
 * of the vault is read from the store, whatever is cached. After a vault was written over a deleted
 * one, its ring is written again: a process that has read the ring before to erase it, and has seen
 * that the vault was deleted, then loses the race for the ring, reads both again and finds the new
 * vault. If that process has won, the vault is marked as deleted again.
 *
 * `put` then also rejects with the StorageError of erased keys.
 */
export function guardVaults({ rings, keys }: EncryptedContext, records: RecordStore): RecordStore {
  const put: RecordStore['put'] = async (key, record, expectedVersion) => {
    const { collection, id } = key
    const isVault = collection === vaultCollection && !isDeletedVault(record.body, id)
    if (!isVault) return records.put(key, record, expectedVersion)
    await keys.assertNotErased(id)
    const before = expectedVersion > 0 ? await records.get(key) : undefined
    const isWritten = await records.put(key, record, expectedVersion)
    if (!isWritten || before === undefined || !isDeletedVault(before.body, id)) return isWritten
    try {
      if ((await rings.get(id)) !== undefined) await keys.updateRing(id, async (ring) => ring)
    } catch (error) {
      const deleted = { body: toDeletedVault(id) }
      await records.put(key, deleted, expectedVersion + 1).catch(() => {})
      throw error
    }
    return true
  }
  return { ...records, put }
}
