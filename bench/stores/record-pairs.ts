/** The operations of a record store, beside those of its client by hand. */

import type { RecordStore } from 'cofferkit'
import type { Pair } from './measure-costs.js'
import { collection, createBody, createId, indexKey } from './rows.js'

/** A record by hand. */
interface RawRecord {
  readonly collection: string
  readonly id: string
  readonly indexKey: string
  readonly body: Uint8Array
}

/** The same operations by hand, on the same rows, without the checks of the store. */
export interface RawRecords {
  get(collection: string, id: string): unknown
  /** Writes over the version. Returns whether a record was written. */
  put(record: RawRecord, version: number): boolean | Promise<boolean>
  list(collection: string, limit: number): unknown
}

/** Runs of each operation in a slice. */
export interface Counts {
  readonly get: number
  readonly put: number
  readonly list: number
}

/** Concurrent tasks. Each changes a record of its own. */
export const workers = 8

const records = 64
const page = { limit: 50, maxBytes: 2_097_152 }

/**
 * Fills the collection of the store, which must be empty, and returns a pair for each operation.
 * @param title - The beginning of their names.
 */
export async function createRecordPairs(
  store: RecordStore,
  raw: RawRecords,
  counts: Counts,
  title = '',
): Promise<readonly Pair[]> {
  for (let index = 0; index < records; index++) {
    const key = { collection, id: createId(index) }
    await store.put(key, { body: createBody(), indexKey }, 0)
  }
  const versions = Array.from({ length: workers }, () => 1)
  const nextVersion = (worker: number): number => {
    const version = versions[worker] ?? 0
    versions[worker] = version + 1
    return version
  }
  return [
    {
      name: `${title}get`,
      count: counts.get,
      store: (worker) => store.get({ collection, id: createId(worker) }),
      raw: (worker) => raw.get(collection, createId(worker)),
    },
    {
      name: `${title}put`,
      count: counts.put,
      async store(worker) {
        const key = { collection, id: createId(worker) }
        const version = nextVersion(worker)
        assertDone(await store.put(key, { body: createBody(), indexKey }, version))
      },
      async raw(worker) {
        const record = { collection, id: createId(worker), indexKey, body: createBody() }
        assertDone(await raw.put(record, nextVersion(worker)))
      },
    },
    {
      name: `${title}list of ${page.limit}`,
      count: counts.list,
      store: () => store.list(collection, page),
      raw: () => raw.list(collection, page.limit),
    },
  ]
}

function assertDone(isDone: boolean): void {
  if (!isDone) throw new Error('the put was rejected')
}
