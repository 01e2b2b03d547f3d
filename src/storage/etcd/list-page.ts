/**
 * Lists records in etcd. It first reads the ids of a page with the bounds of their sizes. Then it
 * reads the bodies, at the same revision, in batches that end where the page may end.
 */

import type { ListedRecord, RecordQuery, RecordStore } from '../../store.js'
import type { KeyValue } from './answer.js'
import type { EtcdConnection } from './connection.js'
import { parseEntry, smallBodyBytes } from './entry.js'
import { CompactedRevisionError, unexpectedAnswerError } from './errors.js'
import {
  type Base64,
  decodeBytes,
  decodeText,
  idOf,
  type KeyNames,
  rangeBetween,
  rangeOf,
} from './keys.js'
import { read } from './transaction.js'

/** A record of the page, before its body is loaded. */
interface Candidate {
  readonly id: string
  /** The key of the record. */
  readonly key: Base64
  /** An upper bound of the bytes of the body. */
  readonly sizeBound: number
}

/** The records that match a query, and the revision at which they were found. */
interface Candidates {
  readonly revision: string
  readonly records: readonly Candidate[]
}

/** Loads the bodies of consecutive candidates. */
type LoadBodies = (batch: readonly Candidate[]) => Promise<readonly KeyValue[]>

/** This many bytes of bodies are loaded together, even if the page ends earlier. */
const minBatchBytes = 65_536
/**
 * The maximum number of bytes of bodies that one request loads, unless a single record is larger.
 */
const maxBatchBytes = 4 * 1024 * 1024
/**
 * The maximum number of records that one request loads. etcd accepts 128 operations in a
 * transaction.
 */
const maxBatchRecords = 100
const maxAttempts = 3

/** Creates `list` of the record store. */
export function createListPage(connection: EtcdConnection, names: KeyNames): RecordStore['list'] {
  return async (collection, query) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await listPage(connection, names, collection, query)
      } catch (error) {
        // The revision was compacted between two requests. The next attempt has a newer one.
        if (!(error instanceof CompactedRevisionError) || attempt === maxAttempts) throw error
      }
    }
  }
}

async function listPage(
  connection: EtcdConnection,
  names: KeyNames,
  collection: string,
  query: RecordQuery,
): Promise<readonly ListedRecord[]> {
  const { indexKey, limit, maxBytes } = query
  const start = names.records(collection)
  if (indexKey === undefined && maxBytes === undefined) {
    const found = await connection.range({ ...rangeOf(start, query.after), limit })
    const ids = found.map(({ key }) => idOf(key, start))
    assertPage(ids, limit)
    return found.map((record, index) => toListed(ids[index] ?? '', record))
  }
  const { revision, records } =
    indexKey === undefined
      ? await findAll(connection, names, collection, query)
      : await findIndexed(connection, names, collection, indexKey, query)
  const ids = records.map(({ id }) => id)
  assertPage(ids, limit)
  const load: LoadBodies =
    indexKey === undefined
      ? (batch) => loadRange(connection, start, batch, revision)
      : (batch) => loadEach(connection, batch, revision)
  return loadPage(records, load, maxBytes)
}

/** Finds records of a collection. A record without an entry is small. */
async function findAll(
  connection: EtcdConnection,
  names: KeyNames,
  collection: string,
  { after, limit }: RecordQuery,
): Promise<Candidates> {
  const [start, startOfEntries] = [names.records(collection), names.entries(collection)]
  const { revision, found } = await connection.read({
    success: [
      read({ ...rangeOf(start, after), limit, keys_only: true }),
      read({ ...rangeOf(startOfEntries, after), limit }),
    ],
  })
  const [records = [], entries = []] = found
  const bounds = new Map(
    entries.map(({ key, value }) => {
      return [idOf(key, startOfEntries), parseEntry(decodeText(value)).sizeBound]
    }),
  )
  const toCandidate = ({ key }: KeyValue): Candidate => {
    const id = idOf(key, start)
    return { id, key, sizeBound: bounds.get(id) ?? smallBodyBytes }
  }
  return { revision, records: records.map(toCandidate) }
}

async function findIndexed(
  connection: EtcdConnection,
  names: KeyNames,
  collection: string,
  indexKey: string,
  { after, limit }: RecordQuery,
): Promise<Candidates> {
  const start = names.indexed(collection, indexKey)
  const { revision, found } = await connection.read({
    success: [read({ ...rangeOf(start, after), limit })],
  })
  const toCandidate = ({ key, value }: KeyValue): Candidate => {
    const id = idOf(key, start)
    const { sizeBound } = parseEntry(decodeText(value))
    return { id, key: names.record(collection, id), sizeBound }
  }
  return { revision, records: (found[0] ?? []).map(toCandidate) }
}

/** Loads records that follow one another in their collection. */
async function loadRange(
  connection: EtcdConnection,
  start: string,
  batch: readonly Candidate[],
  revision: string,
): Promise<readonly KeyValue[]> {
  const [first, last] = [batch[0]?.id ?? '', batch.at(-1)?.id ?? '']
  const range = rangeBetween(start + first, start + last)
  return connection.range({ ...range, limit: batch.length, revision })
}

async function loadEach(
  connection: EtcdConnection,
  batch: readonly Candidate[],
  revision: string,
): Promise<readonly KeyValue[]> {
  const success = batch.map(({ key }) => read({ key, revision }))
  return (await connection.read({ success })).found.flat()
}

/** Loads the candidates, in batches, up to the record with which the page ends. */
async function loadPage(
  candidates: readonly Candidate[],
  load: LoadBodies,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<readonly ListedRecord[]> {
  const page: ListedRecord[] = []
  let bytes = 0
  while (page.length < candidates.length && bytes < maxBytes) {
    const batch = takeBatch(candidates, page.length, maxBytes - bytes)
    const found = await load(batch)
    if (found.length !== batch.length) throw unexpectedAnswerError()
    for (const [index, record] of found.entries()) {
      const { id, key } = batch[index] ?? {}
      if (id === undefined || record.key !== key) throw unexpectedAnswerError()
      const listed = toListed(id, record)
      page.push(listed)
      bytes += listed.body.length
      if (bytes >= maxBytes) break
    }
  }
  return page
}

/**
 * Returns the next candidates, up to the one whose bound brings the total to `bytes`. Bodies are at
 * most as long as their bounds, so all of these candidates are on the page.
 */
function takeBatch(
  candidates: readonly Candidate[],
  from: number,
  bytes: number,
): readonly Candidate[] {
  const maxBytes = Math.min(Math.max(bytes, minBatchBytes), maxBatchBytes)
  let to = from
  for (let sum = 0; to < candidates.length && to < from + maxBatchRecords && sum < maxBytes; to++)
    sum += candidates[to]?.sizeBound ?? 0
  return candidates.slice(from, to)
}

/** @throws StorageError (`STORAGE_FAILED`) if there are too many ids, or they are not ascending. */
function assertPage(ids: readonly string[], limit: number): void {
  const isAscending = ids.every((id, index) => index === 0 || (ids[index - 1] ?? '') < id)
  if (ids.length > limit || !isAscending) throw unexpectedAnswerError()
}

function toListed(id: string, { version, value }: KeyValue): ListedRecord {
  return { id, version, body: decodeBytes(value) }
}
