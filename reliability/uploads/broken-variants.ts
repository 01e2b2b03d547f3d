/** Stores that take away one of the two halves that an upload and a sweep settle by who of them was first. */

import type { RecordStore, VaultStore } from 'cofferkit'

/** Which half is missing: an upload does not notice that it was swept, or a sweep does not stop an upload. */
export type Twin = (typeof twins)[number]

/** All of them. */
export const twins = [
  'does not notice that it was swept',
  'is swept without being stopped',
] as const

/** The store of processes that upload; records of what is pending are renewed in the one twin, whoever has them. */
export function storeOfUploads({ records, blobs }: VaultStore, twin?: Twin): VaultStore {
  return { blobs, records: twin === twins[0] ? claimingPuts(records, 'pending-blobs/') : records }
}

/** The store of the process that sweeps; its puts of items do not happen in the other twin. */
export function storeOfSweeps({ records, blobs }: VaultStore, twin?: Twin): VaultStore {
  const put: RecordStore['put'] = async (key, record, seen) =>
    key.collection.startsWith('items/') || records.put(key, record, seen)
  return { blobs, records: twin === twins[1] ? { ...records, put } : records }
}

/** Says of every put in such a collection that it was done. */
function claimingPuts(records: RecordStore, collection: string): RecordStore {
  return {
    ...records,
    put: async (key, record, seen) =>
      (await records.put(key, record, seen)) || key.collection.startsWith(collection),
  }
}
