/** A store whose calls go wrong as a plan says, and that writes down which calls were made. */

import type { BlobStore, ListedRecord, RecordQuery, RecordStore, VaultStore } from 'cofferkit'
import { applies, driverError, type FaultableCall, type FaultKind, goWrong } from './fault-kinds.js'

/** What was stored earlier: the records of each collection, ascending by id. */
export type Earlier = ReadonlyMap<string, readonly ListedRecord[]>

/** Which call goes wrong, counted from 0, and how. */
export type FaultPlan = ReadonlyMap<number, FaultKind>

/** A call that was made. */
export interface MadeCall {
  /** Such as `records.get`. */
  readonly method: string
  readonly kinds: readonly FaultKind[]
}

/** The store, and its calls as they were made. */
export interface FaultyCallStore {
  readonly store: VaultStore
  readonly calls: readonly MadeCall[]
  /** Resolves when no call is left that is made after its answer. */
  settled(): Promise<void>
}

type Run = <Answer>(method: string, call: FaultableCall<Answer>) => Promise<Answer>

/** The store as the plan says. `kinds` are those that are looked for. */
export function createFaultyCallStore(
  { records, blobs }: VaultStore,
  plan: FaultPlan,
  earlier: Earlier,
  kinds: readonly FaultKind[],
): FaultyCallStore {
  const calls: MadeCall[] = []
  const late: Promise<unknown>[] = []
  const run: Run = (method, call) => {
    const kind = plan.get(calls.length)
    calls.push({ method, kinds: kinds.filter((other) => applies(other, call)) })
    return kind === undefined ? call.make() : goWrong(kind, call, (work) => late.push(work))
  }
  const store = { records: faultyRecords(records, earlier, run), blobs: faultyBlobs(blobs, run) }
  const settled = async (): Promise<void> => {
    await Promise.all(late)
  }
  return { store, calls, settled }
}

function faultyRecords(records: RecordStore, earlier: Earlier, run: Run): RecordStore {
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
    put: (key, record, seen) => write('records.put', () => records.put(key, record, seen)),
    delete: (key, seen) => write('records.delete', () => records.delete(key, seen)),
    list: (collection, page) =>
      run('records.list', {
        make: () => records.list(collection, page),
        stale: () => pageOf(earlier.get(collection) ?? [], page),
        shorten: (listed) => listed.slice(0, -1),
        nothing: () => [],
      }),
  }
}

function faultyBlobs(blobs: BlobStore, run: Run): BlobStore {
  return {
    read: (id) =>
      run('blobs.read', {
        make: () => blobs.read(id),
        breakOff: (content) => content?.pipeThrough(failing()),
        shorten: (content) => content?.pipeThrough(shortening()),
        nothing: () => undefined,
      }),
    write: (id, content) =>
      run('blobs.write', {
        make: () => blobs.write(id, content),
        retry: () => blobs.write(id, new Blob().stream()),
        lessen: () => blobs.write(id, content.pipeThrough(shortening())),
        nothing: () => undefined,
      }),
    delete: (id) =>
      run('blobs.delete', { make: () => blobs.delete(id), isLate: true, nothing: () => undefined }),
  }
}

function pageOf(
  records: readonly ListedRecord[],
  { after = '', limit }: RecordQuery,
): readonly ListedRecord[] {
  return records.filter(({ id }) => id > after).slice(0, limit)
}

/** Hands on the first bytes, then fails. */
function failing(): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, 1))
      controller.error(driverError())
    },
    flush(controller) {
      controller.error(driverError())
    },
  })
}

/** Leaves out the last byte. */
function shortening(): TransformStream<Uint8Array, Uint8Array> {
  let last = new Uint8Array(0)
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(last)
      last = new Uint8Array(chunk)
    },
    flush(controller) {
      controller.enqueue(last.subarray(0, -1))
    },
  })
}
