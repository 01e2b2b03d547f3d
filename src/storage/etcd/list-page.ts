/**
 * Lists records in etcd: first the ids of a page with the bounds of their sizes, then the bodies,
 * at the revision of the ids, in batches that end where the page can end.
 */

import type { ListedRecord, RecordQuery, RecordStore } from '../../store.js'
import type { KeyValue } from './answer.js'
import type { EtcdConnection } from './connection.js'
import { parseEntry, smallBodyBytes } from './entry.js'
import { CompactedRevisionError, unexpectedAnswerError } from './errors.js'
import { decodeBytes, decodeText, idOf, type KeyNames, rangeBetween, rangeOf } from './keys.js'
import { read } from './transaction.js'

/** A record of the page, before its body is loaded. */
interface Candidate {
  readonly id: string
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

/** Bytes of bodies that are loaded together even if the page ends before. */
const minBatchBytes = 65_536
/** Bytes of bodies that are loaded by one request, unless one record is larger. */
const maxBatchBytes = 4 * 1024 * 1024
/** Records that are loaded by one request. etcd accepts 128 operations in a transaction. */
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
    return toListed(
      found.map((each) => ({ id: idOf(each.key, start), ...each })),
      query,
    )
  }
  const { revision, records } =
    indexKey === undefined
      ? await findAll(connection, names, collection, query)
      : await findIndexed(connection, names, collection, indexKey, query)
  const load: LoadBodies =
    indexKey === undefined
      ? (batch) => loadRange(connection, start, batch, revision)
      : (batch) => loadEach(connection, start, batch, revision)
  return loadPage(records, load, (key) => idOf(key, start), query)
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
    return { id, sizeBound: bounds.get(id) ?? smallBodyBytes }
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
    return { id: idOf(key, start), sizeBound: parseEntry(decodeText(value)).sizeBound }
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
  start: string,
  batch: readonly Candidate[],
  revision: string,
): Promise<readonly KeyValue[]> {
  const { found } = await connection.read({
    success: batch.map(({ id }) => read({ ...rangeBetween(start + id, start + id), revision })),
  })
  return found.flat()
}

/** Loads the candidates, in batches, up to the record with which the page ends. */
async function loadPage(
  candidates: readonly Candidate[],
  load: LoadBodies,
  toId: (key: string) => string,
  { limit, maxBytes = Number.POSITIVE_INFINITY }: RecordQuery,
): Promise<readonly ListedRecord[]> {
  const page: ListedRecord[] = []
  let bytes = 0
  while (page.length < candidates.length && bytes < maxBytes) {
    const batch = takeBatch(candidates, page.length, maxBytes - bytes)
    const found = (await load(batch)).map((each) => ({ ...each, id: toId(each.key) }))
    if (found.length !== batch.length || found.some(({ id }, index) => id !== batch[index]?.id))
      throw unexpectedAnswerError()
    const listed = toListed(found, { limit, maxBytes: maxBytes - bytes })
    page.push(...listed)
    bytes += listed.reduce((sum, { body }) => sum + body.length, 0)
  }
  return page
}

/**
 * Returns the next candidates up to the one with which their bounds reach `bytes`. Their bodies
 * reach it at this one or later, so that all of them are on the page.
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

/** Returns the records of a page, which ends with the one that reaches `maxBytes`. */
function toListed(
  found: readonly (KeyValue & { readonly id: string })[],
  { limit, maxBytes = Number.POSITIVE_INFINITY }: Pick<RecordQuery, 'limit' | 'maxBytes'>,
): ListedRecord[] {
  const listed: ListedRecord[] = []
  let bytes = 0
  for (const { id, version, value } of found) {
    const before = listed.at(-1)
    if (listed.length === limit || (before !== undefined && before.id >= id))
      throw unexpectedAnswerError()
    const body = decodeBytes(value)
    listed.push({ id, version, body })
    bytes += body.length
    if (bytes >= maxBytes) break
  }
  return listed
}
