/** A store whose calls go wrong according to a plan, and that records its calls. */

import type {
  BlobContent,
  BlobStore,
  ListedRecord,
  RecordQuery,
  RecordStore,
  VaultStore,
} from 'cofferkit'
import { passOnCanRollBack } from '../../../src/base/map-store.js'
import {
  driverError,
  type FaultableCall,
  type FaultKind,
  isApplicable,
  makeFaultyCall,
} from './fault-kinds.js'

/** Earlier records of each collection, ascending by id. */
export type EarlierRecords = ReadonlyMap<string, readonly ListedRecord[]>

/** The faults by the number of the call, counted from 0. */
export type FaultPlan = ReadonlyMap<number, FaultKind>

/** A call that was made. */
export interface MadeCall {
  /** For example `records.get`. */
  readonly method: string
  /** The kinds of faults that apply to the call. */
  readonly kinds: readonly FaultKind[]
}

/** The store and its calls. */
export interface FaultyStore {
  readonly store: VaultStore
  readonly calls: readonly MadeCall[]
  /** Resolves when every call that is made after its response has ended. */
  settle(): Promise<void>
}

type Run = <Response>(method: string, call: FaultableCall<Response>) => Promise<Response>

/** Wraps a store. `kinds` are the faults that are recorded as applicable. */
export function createFaultyStore(
  { records, blobs }: VaultStore,
  plan: FaultPlan,
  earlier: EarlierRecords,
  kinds: readonly FaultKind[],
): FaultyStore {
  const calls: MadeCall[] = []
  const late: Promise<unknown>[] = []
  const run: Run = (method, call) => {
    const kind = plan.get(calls.length)
    calls.push({ method, kinds: kinds.filter((other) => isApplicable(other, call)) })
    return kind === undefined ? call.make() : makeFaultyCall(kind, call, (work) => late.push(work))
  }
  const store = { records: wrapRecords(records, earlier, run), blobs: wrapBlobs(blobs, run) }
  const settle = async (): Promise<void> => {
    await Promise.all(late)
  }
  return { store, calls, settle }
}

function wrapRecords(records: RecordStore, earlier: EarlierRecords, run: Run): RecordStore {
  const write = (method: string, make: () => Promise<boolean>): Promise<boolean> =>
    run(method, { make, retry: make, denial: false, isLate: true, nothing: () => false })
  return {
    get: (key) =>
      run('records.get', {
        make: () => records.get(key),
        stale: () => earlier.get(key.collection)?.find(({ id }) => id === key.id),
        shorten: (stored) => stored && { ...stored, body: stored.body.subarray(0, -1) },
        nothing: () => undefined,
      }),
    put: (key, record, expectedVersion) =>
      write('records.put', () => records.put(key, record, expectedVersion)),
    delete: (key, expectedVersion) =>
      write('records.delete', () => records.delete(key, expectedVersion)),
    list: (collection, page) =>
      run('records.list', {
        make: () => records.list(collection, page),
        stale: () => selectPage(earlier.get(collection) ?? [], page),
        shorten: (listed) => listed.slice(0, -1),
        nothing: () => [],
      }),
    ...passOnCanRollBack(records),
  }
}

function wrapBlobs(blobs: BlobStore, run: Run): BlobStore {
  return {
    read: (id) =>
      run('blobs.read', {
        make: () => blobs.read(id),
        interrupt: (content) => content && failAfterFirstByte(content),
        shorten: (content) => content && dropLastByte(content),
        nothing: () => undefined,
      }),
    write: (id, content) =>
      run('blobs.write', {
        make: () => blobs.write(id, content),
        retry: () => blobs.write(id, new Uint8Array(0)),
        shortenInput: () => blobs.write(id, dropLastByte(content)),
        nothing: () => undefined,
      }),
    delete: (id) =>
      run('blobs.delete', { make: () => blobs.delete(id), isLate: true, nothing: () => undefined }),
  }
}

function selectPage(
  records: readonly ListedRecord[],
  { after = '', limit }: RecordQuery,
): readonly ListedRecord[] {
  return records.filter(({ id }) => id > after).slice(0, limit)
}

/** Passes the first byte of the content on, then fails. */
async function* failAfterFirstByte(content: BlobContent): AsyncGenerator<Uint8Array> {
  for await (const chunk of toChunks(content)) {
    yield chunk.subarray(0, 1)
    break
  }
  throw driverError()
}

/** Drops the last byte of the content. */
async function* dropLastByte(content: BlobContent): AsyncGenerator<Uint8Array> {
  let last = new Uint8Array(0)
  for await (const chunk of toChunks(content)) {
    yield last
    last = new Uint8Array(chunk)
  }
  yield last.subarray(0, -1)
}

async function* toChunks(content: BlobContent): AsyncGenerator<Uint8Array> {
  if (content instanceof Uint8Array) yield content
  else yield* content
}
