/** Stores that take away one of the two halves that an upload and a collect settle by who of them was first. */

import type { RecordStore, VaultStore } from 'cofferkit'

/** Which half is missing: an upload does not notice that it was collected, or a collect does not stop an upload. */
export type BrokenVariant = (typeof brokenVariants)[number]

/** All of them. */
export const brokenVariants = [
  'does not notice that it was collected',
  'is collected without being stopped',
] as const

/** The store of processes that upload; records of what is pending are renewed in the one variant, whoever has them. */
export function selectUploadStore({ records, blobs }: VaultStore, variant?: BrokenVariant): VaultStore {
  return { blobs, records: variant === brokenVariants[0] ? claimingPuts(records, 'marks/') : records }
}

/** The store of the process that sweeps; its puts of items do not happen in the other variant. */
export function selectCollectorStore({ records, blobs }: VaultStore, variant?: BrokenVariant): VaultStore {
  const put: RecordStore['put'] = async (key, record, seen) =>
    key.collection.startsWith('items/') || records.put(key, record, seen)
  return { blobs, records: variant === brokenVariants[1] ? { ...records, put } : records }
}

/** Says of every put in such a collection that it was done. */
function claimingPuts(records: RecordStore, collection: string): RecordStore {
  return {
    ...records,
    put: async (key, record, seen) =>
      (await records.put(key, record, seen)) || key.collection.startsWith(collection),
  }
}
