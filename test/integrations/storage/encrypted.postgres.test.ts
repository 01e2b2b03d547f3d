import { afterAll, beforeAll, describe, it } from 'vitest'
import type { VaultStore } from '../../../src/index.js'
import { blobStoreContract, recordStoreContract } from '../../../src/testing.js'
import { encryptStore } from '../../support/stores/encrypted-stores.js'
import {
  createStoreOnTables,
  createTestSchema,
  databaseUrl,
  openPGlite,
  type TestSchema,
} from '../support/stores/postgres.js'

const database = openPGlite()

// PGlite takes long to start when other tests run at the same time.
beforeAll(() => database.waitReady, 120_000)
let server: Promise<TestSchema> | undefined

afterAll(async () => {
  await database.close()
  await (await server)?.remove()
})

async function onServer(): Promise<VaultStore> {
  server ??= createTestSchema()
  const { schema, connect } = await server
  return createStoreOnTables(connect({ max: 4 }), schema)
}

const engines: [string, () => Promise<VaultStore>][] = [
  ['PGlite', () => createStoreOnTables(database)],
]
if (databaseUrl !== undefined) engines.push(['PostgreSQL', onServer])

describe.each(engines)('createEncryptedStore on %s', { timeout: 60_000 }, (_, createStore) => {
  it.each(recordStoreContract)('records: $name', async ({ run }) =>
    run(encryptStore(await createStore()).records),
  )
  it.each(blobStoreContract)('blobs: $name', async ({ run }) =>
    run(encryptStore(await createStore()).blobs),
  )
})
