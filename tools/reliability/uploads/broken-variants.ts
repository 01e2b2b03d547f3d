/**
 * Stores without one half of the protocol by which an upload and a garbage collection agree on
 * which of them was first.
 */

import type { RecordStore, VaultStore } from 'cofferkit'

/** An upload that does not notice its collection, or a collection that does not stop an upload. */
export type BrokenVariant = (typeof brokenVariants)[number]

/** All variants. */
export const brokenVariants = [
  'does not notice that it was collected',
  'is collected without being stopped',
] as const

/**
 * Returns the store of the processes that upload. In the first variant, every put of a pending-blob
 * record is reported as done, also if the record was changed by a collection.
 */
export function wrapUploadStore(
  { records, blobs }: VaultStore,
  variant?: BrokenVariant,
): VaultStore {
  const put: RecordStore['put'] = async (key, record, expectedVersion) =>
    (await records.put(key, record, expectedVersion)) || key.collection.startsWith('pending-blobs/')
  return { blobs, records: variant === brokenVariants[0] ? { ...records, put } : records }
}

/**
 * Returns the store of the process that collects garbage. In the second variant, its puts of items
 * are reported as done and are not made.
 */
export function wrapCollectorStore(
  { records, blobs }: VaultStore,
  variant?: BrokenVariant,
): VaultStore {
  const put: RecordStore['put'] = async (key, record, expectedVersion) =>
    key.collection.startsWith('items/') || records.put(key, record, expectedVersion)
  return { blobs, records: variant === brokenVariants[1] ? { ...records, put } : records }
}
