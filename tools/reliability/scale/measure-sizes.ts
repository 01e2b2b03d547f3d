/** Measures how many bytes the records of a vault take, so that a store can be sized on paper. */

import { PGlite } from '@electric-sql/pglite'
import {
  createCaller,
  createVaultService,
  type RecordInput,
  type RecordKey,
  type VaultStore,
} from 'cofferkit'
import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { createMemoryStore } from 'cofferkit/memory'
import { createPostgresStore, migratePostgres } from 'cofferkit/postgres'
import { createSeededRandomBytes, loginDraft } from 'cofferkit/testing'

/** A kind of record, such as an item. */
export interface RecordSize {
  /** The collection without the id of the vault. */
  readonly collection: string
  readonly perVault: number
  /** Means in bytes of an encrypted record. The key is the collection and the id. */
  readonly key: number
  readonly indexKey: number
  readonly body: number
  /** The mean body of the same record without encryption; undefined if only encryption has it. */
  readonly plainBody: number | undefined
  /** Bytes of a record in PostgreSQL, with its share of the pages, without and in the indexes. */
  readonly table: number
  readonly indexes: number
}

interface Stored extends RecordKey, RecordInput {}

/** Items of the vault that is measured. Each is a login with three fields, changed once. */
const itemsPerVault = 100
const rows = 2000

/** Measures a vault whose items were changed once, with a history of one version. */
export async function measureSizes(): Promise<readonly RecordSize[]> {
  const plain = await fillVault((store) => store)
  const keys = createLocalKeyProvider({ key: new Uint8Array(32).fill(7) })
  const encrypted = await fillVault((store) => createEncryptedStore(store, { keys }))
  const sizes: RecordSize[] = []
  for (const [collection, records] of [...encrypted].sort())
    sizes.push({
      collection,
      perVault: records.length,
      key: mean(records, ({ collection, id }) => collection.length + id.length),
      indexKey: mean(records, ({ indexKey = '' }) => new TextEncoder().encode(indexKey).length),
      body: mean(records, ({ body }) => body.length),
      plainBody: plain.has(collection)
        ? mean(plain.get(collection) ?? [], ({ body }) => body.length)
        : undefined,
      ...(await measureRows(records)),
    })
  return sizes
}

/** The records of one vault by collection, as they are stored. */
async function fillVault(
  wrap: (store: VaultStore) => VaultStore,
): Promise<ReadonlyMap<string, readonly Stored[]>> {
  const inner = createMemoryStore()
  const stored = new Map<string, Stored>()
  const put: VaultStore['records']['put'] = (key, record, expectedVersion) => {
    stored.set(`${key.collection} ${key.id}`, { ...key, ...record })
    return inner.records.put(key, record, expectedVersion)
  }
  const service = createVaultService({
    store: wrap({ ...inner, records: { ...inner.records, put } }),
    randomBytes: createSeededRandomBytes(),
    history: { maxVersions: 1 },
  })
  const caller = createCaller('wendy', '*')
  const { id: vaultId } = await service.createVault(caller, { name: 'Passwords of Wendy' })
  for (let number = 100; number < 100 + itemsPerVault; number++) {
    const item = loginDraft(vaultId, { title: `Mail account ${number}` })
    const { id: itemId } = await service.createItem(caller, { vaultId, item })
    await service.replaceItem(caller, { vaultId, itemId, item })
  }
  return Map.groupBy(
    // Keys of all vaults are not those of a vault.
    [...stored.values()].filter(({ collection, id }) => collection !== 'keys' || id === vaultId),
    ({ collection }) => collection.replace(/\/.*/, ''),
  )
}

/** Stores the records under many random ids, and divides the size of the tables by their number. */
async function measureRows(
  records: readonly Stored[],
): Promise<{ table: number; indexes: number }> {
  const database = new PGlite()
  try {
    await migratePostgres(database)
    const store = createPostgresStore(database)
    const randomBytes = createSeededRandomBytes(2)
    let vault = ''
    for (let row = 0; row < rows; row++) {
      if (row % itemsPerVault === 0) vault = toId(randomBytes(26))
      const { collection, id, ...record } = records[row % records.length] as Stored
      const key = {
        collection: collection.replace(/\/.*/, `/${vault}`),
        id: `${toId(randomBytes(26))}${id.slice(26)}`,
      }
      await store.records.put(key, record, 0)
    }
    const sizes = await database.query<{ table: number; indexes: number }>(`
      SELECT pg_table_size('cofferkit_records')::int AS table,
        pg_indexes_size('cofferkit_records')::int AS indexes`)
    const [{ table = 0, indexes = 0 } = {}] = sizes.rows
    return { table: table / rows, indexes: indexes / rows }
  } finally {
    await database.close()
  }
}

function toId(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => (byte % 32).toString(32)).join('')
}

function mean(records: readonly Stored[], bytesOf: (record: Stored) => number): number {
  return records.reduce((sum, record) => sum + bytesOf(record), 0) / records.length
}
