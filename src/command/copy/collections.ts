/** The parts of a copy of a store: the collections of both stores, and the kinds of their records. */

import { unreadableRecordError } from '../../base/fixed-errors.js'
import { mapStore } from '../../base/map-store.js'
import { readBlobIds, readIndexKey } from '../../base/read-stored.js'
import {
  collectionOf,
  isTombstone,
  type StoredKind,
  sealRingRecords,
  storeKinds,
  vaultKinds,
  vaultRecords,
} from '../../base/stored-records.js'
import { walkPages } from '../../base/walk-pages.js'
import {
  DecryptionError,
  type ListedRecord,
  type RecordStore,
  type VaultStore,
} from '../../index.js'
import { type KeyedStore, withStorageErrors } from '../store/check-encryption.js'
import type { Counted } from '../store/format-contents.js'

/** Two stores, of which the second one is to become a copy of the first. */
export interface StorePair {
  readonly from: VaultStore
  readonly to: VaultStore
  /** The record stores of the key rings of sealers, if both are seen. They are never encrypted. */
  readonly rings?: { readonly from: RecordStore; readonly to: RecordStore }
}

/** A collection in both stores. */
export interface CollectionPair {
  readonly kind: StoredKind
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

const pageSize = 200

/** What running calls have left is not part of a copy. */
const isCopied = ({ isTemporary }: StoredKind): boolean => isTemporary !== true
const copiedVaultKinds = vaultKinds.filter(isCopied)
const copiedStoreKinds = storeKinds.filter(isCopied)

/** Yields every collection: the vaults first, then what they contain, then the log and the rest. */
export async function* listCollections({
  from,
  to,
  rings,
}: StorePair): AsyncGenerator<CollectionPair> {
  const pairOf = (kind: StoredKind, collection = kind.collection): CollectionPair => ({
    ...{ kind, collection, from, to },
  })
  const ids: string[] = []
  for await (const { id } of listPairs(pairOf(vaultRecords))) ids.push(id)
  yield pairOf(vaultRecords)
  for (const id of ids)
    for (const kind of copiedVaultKinds) yield pairOf(kind, collectionOf(kind, id))
  for (const kind of copiedStoreKinds) if (kind !== vaultRecords) yield pairOf(kind)
  if (rings === undefined) return
  const withRings = (store: VaultStore, records: RecordStore) => ({ ...store, records })
  const stores = { from: withRings(from, rings.from), to: withRings(to, rings.to) }
  yield { ...pairOf(sealRingRecords), ...stores }
}

/** Returns the stores of a copy. What they reject with is described without values. */
export async function toPair(from: KeyedStore, to: KeyedStore): Promise<StorePair> {
  const guard = (store: VaultStore): VaultStore => mapStore(store, withStorageErrors)
  const pair = { from: guard(from.store), to: guard(to.store) }
  // The store of a module that encrypts hides the key rings of sealers, which are not encrypted.
  if ([from, to].some(({ encrypted, inner, store }) => encrypted && inner === store)) return pair
  const inner = { from: guard(from.inner).records, to: guard(to.inner).records }
  const [first] = await inner.from.list(sealRingRecords.collection, { limit: 1 })
  // A sealer can also have written to an encrypted store.
  const isPlain = first === undefined || new TextDecoder().decode(first.body).startsWith('{')
  return { ...pair, rings: isPlain ? inner : { from: pair.from.records, to: pair.to.records } }
}

/** Returns true if the second store has nothing that a copy consists of. */
export async function isEmpty({ to, rings }: Pick<StorePair, 'to' | 'rings'>): Promise<boolean> {
  const hasRecords = async (records: RecordStore, { collection }: StoredKind): Promise<boolean> =>
    (await records.list(collection, { limit: 1 })).length > 0
  for (const kind of copiedStoreKinds) if (await hasRecords(to.records, kind)) return false
  return rings === undefined || !(await hasRecords(rings.to, sealRingRecords))
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

/** Returns what a record counts as. */
export function countedAs(kind: StoredKind, { id, body }: ListedRecord): Counted {
  return isTombstone(kind, id, body) ? 'tombstone' : kind
}

/**
 * Returns the ids of the files' contents that exist as long as the record does.
 * @throws DecryptionError if the record is damaged.
 */
export function keptBlobs(
  { kind, collection }: Pick<CollectionPair, 'kind' | 'collection'>,
  body: Uint8Array,
): readonly string[] {
  return kind.keepsBlobs ? readBlobIds(collection, body) : []
}

/**
 * Returns what a copy needs to know of a record.
 * @throws DecryptionError with `record` if the record is damaged.
 */
export function readRecord(
  { kind, collection }: Pick<CollectionPair, 'kind' | 'collection'>,
  record: ListedRecord,
): { readonly indexKey: string | undefined; readonly blobIds: readonly string[] } {
  const { id, version, body, unreadable } = record
  if (unreadable !== undefined) throw unreadable
  try {
    return {
      indexKey: readIndexKey(collection, body),
      blobIds: keptBlobs({ kind, collection }, body),
    }
  } catch (error) {
    throw error instanceof DecryptionError
      ? unreadableRecordError({ collection, id, version })
      : error
  }
}
