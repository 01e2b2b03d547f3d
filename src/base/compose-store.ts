/** Makes a store of two halves: any record store beside any blob store. */

import type { BlobStore, RecordStore, VaultStore } from '../store.js'
import { anyStore, type Kind, like } from './argument.js'
import { defineOptions, type OptionKinds } from './options.js'
import { safeGet } from './safe-get.js'

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

/**
 * Returns a store with the records of one store and the blobs of another. The halves need no common
 * transaction, because a service writes a pending-blob record before a blob, and the item that
 * contains the file after it. Close the two stores yourself.
 *
 * @throws TypeError if `records` or `blobs` is neither such a half nor a store, or if there is a
 * second argument.
 *
 * @example
 * ```ts
 * import { composeStore } from 'cofferkit'
 * import { createS3BlobStore } from 'cofferkit/s3'
 * import { openSqliteStore } from 'cofferkit/sqlite'
 * import { AwsClient } from 'aws4fetch'
 *
 * const records = await openSqliteStore('vault.db')
 * const client = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', retries: 0 })
 * const blobs = createS3BlobStore(client, { url: 'https://vault.s3.eu-central-1.amazonaws.com' })
 * const store = composeStore({ records, blobs })
 * ```
 */
export function composeStore(halves: StoreHalves, ...others: readonly never[]): VaultStore {
  // The second of two stores would be ignored.
  if (others.length > 0) throw new TypeError('halves must be one object: pass { records, blobs }')
  return storeHalves.read(halves, 'halves')
}

function isWhole(store: object): store is VaultStore {
  return safeGet(store, 'records') !== undefined && safeGet(store, 'blobs') !== undefined
}
