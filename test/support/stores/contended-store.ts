/** A store whose every call waits for its turn, and which remembers what has ever been written to it. */

import type { RecordKey, VaultStore } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'

/** A store, and what it has seen. */
export interface CrowdedStore extends VaultStore {
  /** The puts and deletes of records that were done, in order, such as `put vaults/x`. */
  readonly done: string[]
  /**
   * What is stored now of all that was ever written: records as `collection/id`, contents by their ids. Without the
   * records that say of a vault only that it was deleted.
   */
  left(): Promise<string[]>
}

/** A memory store, each call to which begins when `turn` resolves. */
export function crowdedStore(turn: () => Promise<unknown>): CrowdedStore {
  const { records, blobs } = createMemoryStore()
  const done: string[] = []
  const collections = new Set<string>()
  const blobIds = new Set<string>()
  const noted = async (what: string, { collection, id }: RecordKey, isDone: Promise<boolean>) => {
    collections.add(collection)
    if (await isDone) done.push(`${what} ${collection}/${id}`)
    return isDone
  }
  const watched: VaultStore = {
    records: {
      ...records,
      put: (key, record, expectedVersion) =>
        noted('put', key, records.put(key, record, expectedVersion)),
      delete: (key, expectedVersion) => noted('delete', key, records.delete(key, expectedVersion)),
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
    ...waitingStore(watched, turn),
    done,
    async left() {
      const lists = [...collections].map(async (collection) =>
        (await records.list(collection, { limit: 5000 }))
          .filter(({ id, body }) => collection !== 'vaults' || !isTombstone(id, body))
          .map(({ id }) => `${collection}/${id}`),
      )
      const contents = [...blobIds].map(async (id) => ((await blobs.read(id)) ? [id] : []))
      return (await Promise.all([...lists, ...contents])).flat()
    },
  }
}

function isTombstone(id: string, body: Uint8Array): boolean {
  return new TextDecoder().decode(body) === JSON.stringify({ id, deleted: true })
}

/** The store, each call to which begins when `turn` resolves. */
export function waitingStore(
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
    },
    blobs: {
      read: (id) => turn().then(() => blobs.read(id)),
      write: (id, content) => turn().then(() => blobs.write(id, content)),
      delete: (id) => turn().then(() => blobs.delete(id)),
    },
  }
}

/** A test vault on a store that knows what is left of it. */
export interface CrowdedVault extends TestVault {
  readonly store: CrowdedStore
}

/** A test vault whose item has older versions, on a store that nobody waits for. */
export async function crowdedVault(): Promise<CrowdedVault> {
  const store = crowdedStore(() => Promise.resolve())
  return { ...(await createTestVault({ store, history: { maxVersions: 5 } })), store }
}
