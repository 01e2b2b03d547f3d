/**
 * What a store contains: the kinds of records that this library writes, as one table. A store stays a
 * map from keys to bytes, and an encrypted store encrypts collections that are not in this table as
 * well. `docs/what-is-stored.md` explains each kind.
 */

import type { RecordInput, RecordKey } from '../store.js'
import { areBytesEqual } from './are-bytes-equal.js'
import { indexKeyOf } from './index-key.js'
import { safeGet } from './safe-get.js'

/** Stands for the id of a vault, where each vault has its own collection. */
const eachVault = '{vaultId}'

/** A kind of records. All records of a collection are of the same kind. */
export interface StoredKind {
  /** The collection. Its part after the first `/`, or all of it, is the scope. */
  readonly collection: string
  /** The scope, whose keys encrypt the records. Undefined for key rings, which are never encrypted. */
  readonly scope: string | undefined
  /** What one record is called, and what several are. */
  readonly noun: Noun
  /** How many lines of JSON a record has. */
  readonly lines: 1 | 2
  /** True if a record exists only while a call runs, or after the call was interrupted. */
  readonly isTemporary?: true
  /** Returns the index key of a record, by the value of its last line. By default it has none. */
  readonly indexKeyOf?: (content: unknown) => string | undefined
  /** Returns the ids of the blobs that a record names, by the value of its first line. */
  readonly blobIdsOf?: (header: unknown) => readonly string[]
  /**
   * True if the blobs that a record names exist as long as the record does. Otherwise they may be
   * missing.
   */
  readonly keepsBlobs?: true
  /** Returns the exact body that replaces a deleted record. By default nothing replaces it. */
  readonly tombstoneOf?: (id: string) => Uint8Array
}

/** The singular and the plural. */
export type Noun = readonly [singular: string, plural: string]

/** A kind of records of which each vault has a collection. */
export interface VaultKind extends StoredKind {
  readonly scope: typeof eachVault
}

const encoder = /* @__PURE__ */ new TextEncoder()
// Marked as free of effects, so that a bundle without items has no tombstone.
const itemTombstone = /* @__PURE__ */ encoder.encode('{"format":1,"deleted":true}\n{}')
const credentialTombstone = /* @__PURE__ */ encoder.encode('{"deleted":true}')

/** The key rings of an encrypted store, by scope. They are in the inner store, or in `keyRings`. */
export const keyRingRecords = {
  collection: 'keys',
  scope: undefined,
  noun: ['key ring', 'key rings'],
  lines: 1,
} as const satisfies StoredKind

/** The vaults. */
export const vaultRecords = {
  collection: 'vaults',
  scope: 'vaults',
  noun: ['vault', 'vaults'],
  lines: 1,
  indexKeyOf: (vault) => startOf(safeGet(vault, 'name')),
  tombstoneOf: (id) => encoder.encode(JSON.stringify({ id, deleted: true })),
} as const satisfies StoredKind

/** The items. */
export const itemRecords = {
  collection: 'items/{vaultId}',
  scope: eachVault,
  noun: ['item', 'items'],
  lines: 2,
  indexKeyOf: (item) => startOf(safeGet(item, 'title')),
  blobIdsOf: blobIdsOfHeader,
  keepsBlobs: true,
  tombstoneOf: () => itemTombstone,
} as const satisfies StoredKind

/** The older versions of items. */
export const versionRecords = {
  collection: 'versions/{vaultId}',
  scope: eachVault,
  noun: ['version', 'versions'],
  lines: 2,
  blobIdsOf: blobIdsOfHeader,
} as const satisfies StoredKind

/** Lists of blobs that are about to be written or deleted. */
export const pendingBlobRecords = {
  collection: 'pending-blobs/{vaultId}',
  scope: eachVault,
  noun: ['running upload', 'running uploads'],
  lines: 1,
  isTemporary: true,
  blobIdsOf: (pending) => textsOf(safeGet(pending, 'blobIds')),
} as const satisfies StoredKind

/** The credentials of vaults, one record for each. */
export const credentialRecords = {
  collection: 'credentials/{vaultId}',
  scope: eachVault,
  noun: ['credential', 'credentials'],
  lines: 1,
  tombstoneOf: () => credentialTombstone,
} as const satisfies StoredKind

/** The entries of the activity log. */
export const activityRecords = {
  collection: 'activity',
  scope: 'activity',
  noun: ['log entry', 'log entries'],
  lines: 1,
  indexKeyOf: (entry) => textOf(safeGet(safeGet(safeGet(entry, 'resource'), 'vault'), 'id')),
} as const satisfies StoredKind

/** The leases of OAuth grants. */
export const leaseRecords = {
  collection: 'leases',
  scope: 'leases',
  noun: ['lease', 'leases'],
  lines: 1,
} as const satisfies StoredKind

/** What a health check of the activity log writes. */
export const healthCheckRecords = {
  collection: 'health/activity',
  scope: 'activity',
  noun: ['running health check', 'running health checks'],
  lines: 1,
  isTemporary: true,
} as const satisfies StoredKind

/** What an unfinished copy of a store has written to say so. */
export const copyRecords = {
  collection: 'copy/vaults',
  scope: 'vaults',
  noun: ['unfinished copy', 'unfinished copies'],
  lines: 2,
  isTemporary: true,
} as const satisfies StoredKind

/** The key rings of a sealer, by scope. */
export const sealRingRecords = {
  collection: 'seal',
  scope: undefined,
  noun: ['key ring of sealed columns', 'key rings of sealed columns'],
  lines: 1,
} as const satisfies StoredKind

/** All kinds. Lists are literal, so that a bundle has only the kinds that it uses. */
export const allKinds: readonly StoredKind[] = [
  keyRingRecords,
  vaultRecords,
  itemRecords,
  versionRecords,
  pendingBlobRecords,
  credentialRecords,
  activityRecords,
  leaseRecords,
  healthCheckRecords,
  copyRecords,
  sealRingRecords,
]

/** The kinds of records that each vault has. */
export const vaultKinds: readonly VaultKind[] = [
  itemRecords,
  versionRecords,
  pendingBlobRecords,
  credentialRecords,
]

/** The kinds of records that a store has once, without key rings. */
export const storeKinds: readonly (StoredKind & { readonly scope: string })[] = [
  vaultRecords,
  activityRecords,
  leaseRecords,
  healthCheckRecords,
  copyRecords,
]

/** Returns the scopes of {@link storeKinds}. Every other scope is the id of a vault. */
export function listStoreScopes(): ReadonlySet<string> {
  return new Set(storeKinds.map(({ scope }) => scope))
}

function isVaultKind(kind: StoredKind): kind is VaultKind {
  return kind.scope === eachVault
}

/** Returns the collection of a vault. */
export function collectionOf(kind: VaultKind, vaultId: string): string {
  return prefixOf(kind) + vaultId
}

function prefixOf({ collection }: VaultKind): string {
  return collection.slice(0, -eachVault.length)
}

/** Returns true if the records of a collection are of this kind. */
export function isOfKind(kind: StoredKind, collection: string): boolean {
  if (!isVaultKind(kind)) return collection === kind.collection
  const prefix = prefixOf(kind)
  return collection.startsWith(prefix) && collection !== prefix
}

/** Returns the kind of the records of a collection, or undefined if this library never writes it. */
export function kindOfCollection(collection: string): StoredKind | undefined {
  return allKinds.find((kind) => isOfKind(kind, collection))
}

/**
 * Returns every collection of this library that has records of a scope. If the scope is no vault's
 * id, but the collection of an application, the collection itself is one of them.
 */
export function collectionsOf(scope: string): readonly string[] {
  const own = storeKinds.filter((kind) => kind.scope === scope)
  if (own.length > 0) return own.map(({ collection }) => collection)
  return [scope, ...vaultKinds.map((kind) => collectionOf(kind, scope))]
}

/**
 * Returns the part of a collection after the first `/`, such as a vault's id, or the entire
 * collection if there is no `/` or nothing after it.
 */
export function scopeOfCollection(collection: string): string {
  return collection.slice(collection.indexOf('/') + 1) || collection
}

/** Returns a record with the index key of its kind. `content` is the value of its last line. */
export function toIndexedRecord(
  { indexKeyOf }: Required<Pick<StoredKind, 'indexKeyOf'>>,
  body: Uint8Array,
  content: unknown,
): RecordInput {
  const indexKey = indexKeyOf(content)
  return indexKey === undefined ? { body } : { body, indexKey }
}

/** No tombstone is longer. Most other records are. */
const maxTombstoneBytes = 64

/** Returns true if the body is the tombstone of the record with this id. It is not parsed. */
export function isTombstone({ tombstoneOf }: StoredKind, id: string, body: Uint8Array): boolean {
  if (tombstoneOf === undefined || body.length > maxTombstoneBytes) return false
  return areBytesEqual(body, tombstoneOf(id))
}

/**
 * Returns the part of a blob's id before the first `/`, or the entire id if there is no `/` or
 * nothing before it.
 */
export function scopeOfBlob(id: string): string {
  const end = id.indexOf('/')
  return end < 1 ? id : id.slice(0, end)
}

/**
 * Returns the collection of the inner store of an encrypted store. It is the same, except that `keys`
 * and everything that begins with `keys/` get one more `keys/` in front, so that only key rings are
 * in `keys`.
 */
export function innerCollection(collection: string): string {
  const rings = keyRingRecords.collection
  const isReserved = collection === rings || collection.startsWith(`${rings}/`)
  return isReserved ? `${rings}/${collection}` : collection
}

/** Returns the key of a record in the inner store. */
export function innerKey(key: RecordKey): RecordKey {
  const collection = innerCollection(key.collection)
  return collection === key.collection ? key : { collection, id: key.id }
}

const encryptedSuffix = '.sealed'

/** Returns the id of the inner blob that contains the envelope of a blob. */
export function toInnerBlobId(id: string): string {
  return id + encryptedSuffix
}

/** Returns the id of the blob of an inner blob, which may be encrypted. */
export function toOuterBlobId(innerId: string): string {
  return innerId.endsWith(encryptedSuffix) ? innerId.slice(0, -encryptedSuffix.length) : innerId
}

/** Returns the index key of a name or a title. */
function startOf(text: unknown): string | undefined {
  return typeof text === 'string' ? indexKeyOf(text) : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function blobIdsOfHeader(header: unknown): readonly string[] {
  return textsOf(Object.values(Object(safeGet(header, 'blobs'))))
}

function textsOf(values: unknown): readonly string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : []
}
