/** The parts of a copy of a store: the collections of both stores, and the kinds of their records. */

import { unreadableRecordError } from '../../base/fixed-errors.js'
import { mapStore } from '../../base/map-store.js'
import { walkPages } from '../../base/walk-pages.js'
import {
  DecryptionError,
  type ListedRecord,
  type RecordStore,
  type VaultStore,
} from '../../index.js'
import { plaintextRecords } from '../../storage/encrypted.js'
import { type KeyedStore, withStorageErrors } from '../store/check-encryption.js'

/** Two stores, of which the second one is to become a copy of the first. */
export interface StorePair {
  readonly from: VaultStore
  readonly to: VaultStore
  /** The record stores of the key rings of sealers, if both are seen. They are never encrypted. */
  readonly rings?: { readonly from: RecordStore; readonly to: RecordStore }
}

/** A collection in both stores. */
export interface CollectionPair {
  readonly collection: string
  readonly from: VaultStore
  readonly to: VaultStore
}

/** A record in both stores. At least one of them has it. */
export interface RecordPair extends CollectionPair {
  readonly id: string
  readonly source: ListedRecord | undefined
  readonly target: ListedRecord | undefined
}

/** The nouns for what is counted, singular and plural. */
export const nouns = {
  vault: 'vaults',
  item: 'items',
  file: 'files',
  version: 'versions',
  credential: 'credentials',
  'log entry': 'log entries',
  lease: 'leases',
  'key ring of sealed columns': 'key rings of sealed columns',
  'deleted id': 'deleted ids',
} as const

/** One of {@link nouns}. */
export type Noun = keyof typeof nouns

const vaults = 'vaults'
const activity = 'activity'
const leases = 'leases'
const seal = 'seal'
const items = 'items/'
const versions = 'versions/'
const credentials = 'credentials/'

const pageSize = 200

/** The collections that every store has, in the order in which they are copied. */
const ownCollections = [activity, leases]

/**
 * Yields every collection: the vaults first, then what they contain, then the log and the rest.
 * What interrupted uploads have left is not part of a copy.
 */
export async function* listCollections({
  from,
  to,
  rings,
}: StorePair): AsyncGenerator<CollectionPair> {
  const ids: string[] = []
  for await (const { id } of listPairs({ collection: vaults, from, to })) ids.push(id)
  yield { collection: vaults, from, to }
  for (const id of ids)
    for (const prefix of [items, versions, credentials]) yield { collection: prefix + id, from, to }
  for (const collection of ownCollections) yield { collection, from, to }
  if (rings === undefined) return
  const withRings = (store: VaultStore, records: RecordStore) => ({ ...store, records })
  yield { collection: seal, from: withRings(from, rings.from), to: withRings(to, rings.to) }
}

/** Returns the stores of a copy. What they reject with is described without values. */
export async function toPair(from: KeyedStore, to: KeyedStore): Promise<StorePair> {
  const guard = (store: VaultStore): VaultStore => mapStore(store, withStorageErrors)
  const pair = { from: guard(from.store), to: guard(to.store) }
  // The store of a module that encrypts hides the key rings of sealers, which are not encrypted.
  if ([from, to].some(({ encrypted, inner, store }) => encrypted && inner === store)) return pair
  const inner = { from: guard(from.inner).records, to: guard(to.inner).records }
  const [first] = await inner.from.list(seal, { limit: 1 })
  // A sealer can also have written to an encrypted store.
  const isPlain = first === undefined || new TextDecoder().decode(first.body).startsWith('{')
  return { ...pair, rings: isPlain ? inner : { from: pair.from.records, to: pair.to.records } }
}

/** Returns true if a store has nothing that a copy consists of. */
export async function isEmpty({ records }: VaultStore): Promise<boolean> {
  for (const collection of [vaults, activity, leases])
    if ((await records.list(collection, { limit: 1 })).length > 0) return false
  return true
}

/** Yields the records of both stores, in ascending order of their ids. */
export async function* listPairs(pair: CollectionPair): AsyncGenerator<RecordPair> {
  const { collection, from, to } = pair
  const lists = [from, to].map(({ records }) =>
    walkPages((page) => records.list(collection, page), { limit: pageSize }),
  )
  const next = async (side: number): Promise<ListedRecord | undefined> => {
    const result = await lists[side]?.next()
    return result?.done === false ? result.value : undefined
  }
  let [source, target] = await Promise.all([next(0), next(1)])
  while (source !== undefined || target !== undefined) {
    const isFirst = (one?: ListedRecord, other?: ListedRecord): boolean =>
      one !== undefined && (other === undefined || one.id <= other.id)
    const [hasSource, hasTarget] = [isFirst(source, target), isFirst(target, source)]
    const found = {
      source: hasSource ? source : undefined,
      target: hasTarget ? target : undefined,
    }
    const id = (found.source ?? found.target)?.id ?? ''
    yield { ...pair, id, ...found }
    if (hasSource) source = await next(0)
    if (hasTarget) target = await next(1)
  }
}

/** Returns what a record is. */
export function nounOf(collection: string, body: Uint8Array): Noun {
  if (isTombstone(body)) return 'deleted id'
  if (collection === vaults) return 'vault'
  if (collection === activity) return 'log entry'
  if (collection === leases) return 'lease'
  if (collection === seal) return 'key ring of sealed columns'
  if (collection.startsWith(items)) return 'item'
  return collection.startsWith(versions) ? 'version' : 'credential'
}

const maxTombstoneBytes = 64

/** Returns true for the record of a deleted vault, or of a deleted item whose id was chosen. */
function isTombstone(body: Uint8Array): boolean {
  if (body.length > maxTombstoneBytes) return false
  return /^\{[^\n]*"deleted":true\}(?:\n\{\})?$/.test(new TextDecoder().decode(body))
}

/** Returns the ids of the files' contents to which an item refers. Other records keep none. */
export function blobIdsOf(collection: string, body: Uint8Array): readonly string[] {
  return collection.startsWith(items) ? plaintextRecords.blobIdsOf(collection, body) : []
}

/**
 * Returns what a copy needs to know of a record.
 * @throws DecryptionError with `record` if the record is damaged.
 */
export function readRecord(
  collection: string,
  record: ListedRecord,
): { readonly indexKey: string | undefined; readonly blobIds: readonly string[] } {
  const { id, version, body, unreadable } = record
  if (unreadable !== undefined) throw unreadable
  try {
    return {
      indexKey: plaintextRecords.indexKeyOf(collection, body),
      blobIds: blobIdsOf(collection, body),
    }
  } catch (error) {
    throw error instanceof DecryptionError
      ? unreadableRecordError({ collection, id, version })
      : error
  }
}
