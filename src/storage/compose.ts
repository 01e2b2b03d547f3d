/**
 * A store of two halves: any record store beside any blob store.
 * @module cofferkit/compose
 */

import { anyStore, type Kind, like } from '../base/argument.js'
import { defineOptions, type OptionKinds } from '../base/options.js'
import { safeGet } from '../base/safe-get.js'
import type { BlobStore, RecordStore, VaultStore } from '../store.js'

/** The two halves of a store. Pass a half, or a complete store, of which the half is used. */
export interface StoreHalves {
  readonly records: RecordStore | VaultStore
  readonly blobs: BlobStore | VaultStore
}

const storeHalves = defineOptions({
  records: halfOf('records'),
  blobs: halfOf('blobs'),
} satisfies OptionKinds<StoreHalves>)

/** The kind of a half. If a complete store is passed, returns its half. */
function halfOf<Name extends keyof VaultStore>(
  name: Name,
): Kind<VaultStore[Name], VaultStore[Name] | VaultStore> {
  return (value, path) =>
    like<VaultStore[Name]>(anyStore[name])(isWhole(value) ? value[name] : value, path)
}

/** A store of two halves, which closes both. */
export interface ComposedStore extends VaultStore {
  /**
   * Closes both stores, or the one store if they are the same object. A store without `close` is
   * left alone. Rejects with the first error after both have settled.
   */
  close(): Promise<void>
}

/**
 * Returns a store with the records of one store and the blobs of another. The halves need no common
 * transaction, because a service writes a pending-blob record before a blob, and the item that
 * contains the file after it.
 *
 * @throws TypeError if `records` or `blobs` is neither such a half nor a store.
 *
 * @example
 * ```ts
 * import { composeStore } from 'cofferkit/compose'
 * import { createS3BlobStore } from 'cofferkit/s3'
 * import { openSqliteStore } from 'cofferkit/sqlite'
 *
 * const blobs = createS3BlobStore(client, { url: 'https://vault.s3.eu-central-1.amazonaws.com' })
 * const store = composeStore({ records: await openSqliteStore('vault.db'), blobs })
 * ```
 */
export function composeStore(halves: StoreHalves): ComposedStore {
  const { records, blobs } = storeHalves.read(halves, 'halves')
  return { records, blobs, close: () => closeAll(new Set([halves.records, halves.blobs])) }
}

function isWhole(store: object): store is VaultStore {
  return safeGet(store, 'records') !== undefined && safeGet(store, 'blobs') !== undefined
}

async function closeAll(stores: Iterable<object>): Promise<void> {
  const closing = Array.from(stores, async (store) => {
    const close = safeGet(store, 'close')
    if (typeof close === 'function') await close.call(store)
  })
  for (const outcome of await Promise.allSettled(closing))
    if (outcome.status === 'rejected') throw outcome.reason
}
