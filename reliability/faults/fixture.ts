/** A vault in which every operation has something to do, and everything can be looked at. */

import {
  type Caller,
  createVaultService,
  type ListedRecord,
  type VaultService,
  type VaultStore,
} from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import {
  createFaultyStore,
  createSeededRandomBytes,
  createTestVault,
  type TestVault,
} from 'cofferkit/testing'
import type { Earlier } from './faulty-store.js'

/** How a fixture is built. */
export interface FixtureOptions {
  /** What stands between the service and the store whose calls go wrong, such as encryption. */
  readonly wrap: (store: VaultStore) => VaultStore
  /** How a service is made; a broken one in the proof's own tests. */
  readonly createService: typeof createVaultService
}

/** Where the operations work. */
export interface Fixture {
  readonly caller: Caller
  readonly vaultId: string
  readonly itemId: string
  readonly smallFileId: string
  readonly largeFileId: string
  /** The store at the bottom. */
  readonly inner: VaultStore
  /** What stood there before the item's last change. */
  readonly earlier: Earlier
  /** The ids of the contents that are stored. */
  readonly blobIds: ReadonlySet<string>
  /** A service on a store at the bottom. One seed gives the same ids. */
  service(store: VaultStore, seed: number): VaultService
  /** Lets so many milliseconds go by. */
  advance(milliseconds: number): void
}

const history = { maxVersions: 3 }

/**
 * An item of version 5 that keeps versions 2 to 4, has three files, one of them with a note that a crash has left, and
 * beside it a content that nobody names. If `isEarlier`, the item's last change has not been made.
 */
export async function createFixture(options: FixtureOptions, isEarlier = false): Promise<Fixture> {
  const { inner, blobIds, collections } = watched(createMemoryStore())
  const vault = await createTestVault({ store: options.wrap(inner), history })
  const { caller, vaultId, item, clock, smallFile, largeFile } = vault
  const ref = { vaultId, itemId: item.id }
  const service = (store: VaultStore, seed: number): VaultService => {
    const randomBytes = createSeededRandomBytes(seed)
    const maxInlineFileSizeKb = 1
    const given = { store: options.wrap(store), now: clock, randomBytes, history }
    return options.createService({ ...given, maxInlineFileSizeKb })
  }
  await leaveBehind(vault, inner, options)
  clock.advance(7_200_000)
  const earlier = await recordsIn(inner, collections)
  const patch = [{ op: 'replace', path: '/title', value: 'Changed' }] as const
  if (!isEarlier) await service(inner, 3).patchItem(caller, { ...ref, patch })
  return {
    ...ref,
    caller,
    smallFileId: smallFile.id,
    largeFileId: largeFile.id,
    inner,
    earlier,
    blobIds,
    service,
    advance: clock.advance,
  }
}

/** What crashes leave: a content that nobody names, and a note about one that somebody does. */
async function leaveBehind(
  { caller, vaultId, item, clock }: TestVault,
  inner: VaultStore,
  { wrap }: FixtureOptions,
): Promise<void> {
  const attach = (seed: number, failing: (method: string, count: number) => boolean) => {
    const stats = new Map<string, number>()
    const store = createFaultyStore(wrap(inner), ({ method }) => {
      const count = (stats.get(method) ?? 0) + 1
      stats.set(method, count)
      return failing(method, count) ? 'fail-before' : undefined
    })
    const service = createVaultService({
      store,
      now: clock,
      randomBytes: createSeededRandomBytes(seed),
      history,
    })
    const content = new Uint8Array([seed])
    const ref = { vaultId, itemId: item.id }
    return service.attachFile(caller, { ...ref, name: `left-${seed}`, content })
  }
  await attach(4, (method, count) => method === 'put' && count > 2).catch(() => {})
  await attach(5, (method) => method === 'delete')
}

/** The store, and what it holds. */
function watched(store: VaultStore): {
  inner: VaultStore
  blobIds: ReadonlySet<string>
  collections: ReadonlySet<string>
} {
  const blobIds = new Set<string>()
  const collections = new Set<string>()
  const { records, blobs } = store
  const inner: VaultStore = {
    records: {
      ...records,
      put(key, record, seen) {
        collections.add(key.collection)
        return records.put(key, record, seen)
      },
    },
    blobs: {
      ...blobs,
      async write(id, content) {
        await blobs.write(id, content)
        blobIds.add(id)
      },
      async delete(id) {
        await blobs.delete(id)
        blobIds.delete(id)
      },
    },
  }
  return { inner, blobIds, collections }
}

async function recordsIn(store: VaultStore, collections: ReadonlySet<string>): Promise<Earlier> {
  const found = new Map<string, readonly ListedRecord[]>()
  for (const collection of collections)
    found.set(collection, await store.records.list(collection, { limit: 1000 }))
  return found
}
