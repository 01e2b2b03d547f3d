/** The fixture: a vault in which every operation has something to do. */

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
import type { EarlierRecords } from './faulty-store.js'

/** Options of `createFixture`. */
export interface FixtureOptions {
  /** Wraps the store whose calls go wrong, for example with encryption. */
  readonly wrap: (store: VaultStore) => VaultStore
  /** Creates the service. Tests of the check pass a broken one. */
  readonly createService: typeof createVaultService
}

/** The vault and its surroundings. */
export interface Fixture {
  readonly caller: Caller
  readonly vaultId: string
  readonly itemId: string
  readonly smallFileId: string
  readonly largeFileId: string
  /** The innermost store. */
  readonly inner: VaultStore
  /** The records of the innermost store before the item's last change. */
  readonly earlier: EarlierRecords
  /** The ids of the stored blobs. */
  readonly blobIds: ReadonlySet<string>
  /** Creates a service on an innermost store. The same seed gives the same ids. */
  service(store: VaultStore, seed: number): VaultService
  /** Advances the clock. */
  advance(milliseconds: number): void
}

const history = { maxVersions: 3 }

/**
 * Creates an item of version 5 with the archived versions 2 to 4 and three files, one of them with
 * a pending-blob record that a crash has left, and a blob without an item. With
 * `includeLastChange: false`, the item's last change is not made.
 */
export async function createFixture(
  options: FixtureOptions,
  { includeLastChange = true } = {},
): Promise<Fixture> {
  const { wrap, createService } = options
  const { inner, blobIds, collections } = watchStore(createMemoryStore())
  const vault = await createTestVault({ store: wrap(inner), history })
  const { caller, vaultId, item, clock, smallFile, largeFile } = vault
  const ref = { vaultId, itemId: item.id }
  const service = (store: VaultStore, seed: number): VaultService => {
    const randomBytes = createSeededRandomBytes(seed)
    const maxInlineFileSizeKb = 1
    const given = { store: wrap(store), now: clock, randomBytes, history }
    return createService({ ...given, maxInlineFileSizeKb })
  }
  await leaveLeftovers(vault, inner, options)
  clock.advance(7_200_000)
  const earlier = await readRecords(inner, collections)
  const patch = [{ op: 'replace', path: '/title', value: 'Changed' }] as const
  if (includeLastChange) await service(inner, 3).patchItem(caller, { ...ref, patch })
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

/** Crashes twice: leaves a blob without an item, and a pending-blob record of a blob with one. */
async function leaveLeftovers(
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

/** Wraps a store, and keeps track of its collections and blobs. */
function watchStore(store: VaultStore): {
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
      put(key, record, expectedVersion) {
        collections.add(key.collection)
        return records.put(key, record, expectedVersion)
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

async function readRecords(
  store: VaultStore,
  collections: ReadonlySet<string>,
): Promise<EarlierRecords> {
  const found = new Map<string, readonly ListedRecord[]>()
  for (const collection of collections)
    found.set(collection, await store.records.list(collection, { limit: 1000 }))
  return found
}
