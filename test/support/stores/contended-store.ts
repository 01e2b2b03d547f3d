/** A store with controllable calls, and a record of everything that was written to it. */

import { passOnCanRollBack } from '../../../src/base/map-store.js'
import type { RecordKey, VaultStore } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import type { TestVault } from '../../../src/testing.js'
import { createChosenVault } from '../service/chosen-vault.js'

/** A store with a record of its writes. */
export interface ContendedStore extends VaultStore {
  /** The successful puts and deletes of records in order, such as `put vaults/x`. */
  readonly done: string[]
  /**
   * Returns everything that is stored: records as `collection/id`, blobs by id. Records that mark a
   * vault or an item as deleted are left out.
   */
  listRemaining(): Promise<string[]>
}

/** Creates a memory store whose calls each start when `turn` resolves. */
export function createContendedStore(turn: () => Promise<unknown>): ContendedStore {
  const { records, blobs } = createMemoryStore()
  const done: string[] = []
  const collections = new Set<string>()
  const blobIds = new Set<string>()
  const recordWrite = async (
    what: string,
    { collection, id }: RecordKey,
    isDone: Promise<boolean>,
  ) => {
    collections.add(collection)
    if (await isDone) done.push(`${what} ${collection}/${id}`)
    return isDone
  }
  const watched: VaultStore = {
    records: {
      ...records,
      put: (key, record, expectedVersion) =>
        recordWrite('put', key, records.put(key, record, expectedVersion)),
      delete: (key, expectedVersion) =>
        recordWrite('delete', key, records.delete(key, expectedVersion)),
    },
    blobs: {
      ...blobs,
      write: (id, content) => {
        blobIds.add(id)
        return blobs.write(id, content)
      },
    },
  }
  return {
    ...delayCalls(watched, turn),
    done,
    async listRemaining() {
      const lists = [...collections].map(async (collection) =>
        (await records.list(collection, { limit: 5000 }))
          .filter(({ id, body }) => !isTombstone(collection, id, body))
          .map(({ id }) => `${collection}/${id}`),
      )
      const contents = [...blobIds].map(async (id) => ((await blobs.read(id)) ? [id] : []))
      return (await Promise.all([...lists, ...contents])).flat()
    },
  }
}

function isTombstone(collection: string, id: string, body: Uint8Array): boolean {
  const text = new TextDecoder().decode(body)
  return collection === 'vaults'
    ? text === JSON.stringify({ id, deleted: true })
    : text === '{"format":1,"deleted":true}\n{}'
}

/** Delays each call of a store until `turn` resolves. */
export function delayCalls(
  { records, blobs }: VaultStore,
  turn: () => Promise<unknown>,
): VaultStore {
  return {
    records: {
      get: (key) => turn().then(() => records.get(key)),
      put: (key, record, expectedVersion) =>
        turn().then(() => records.put(key, record, expectedVersion)),
      delete: (key, expectedVersion) => turn().then(() => records.delete(key, expectedVersion)),
      list: (collection, page) => turn().then(() => records.list(collection, page)),
      ...passOnCanRollBack(records, (check) => turn().then(check)),
    },
    blobs: {
      read: (id) => turn().then(() => blobs.read(id)),
      write: (id, content) => turn().then(() => blobs.write(id, content)),
      delete: (id) => turn().then(() => blobs.delete(id)),
    },
  }
}

/** A test vault on a contended store. */
export interface ContendedVault extends TestVault {
  readonly store: ContendedStore
}

/** Creates a test vault with older versions of its item, on a store without delays. */
export async function createContendedVault(): Promise<ContendedVault> {
  const store = createContendedStore(() => Promise.resolve())
  return { ...(await createChosenVault({ store, history: { maxVersions: 5 } })), store }
}
