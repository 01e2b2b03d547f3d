import { afterAll, beforeAll, describe, it } from 'vitest'
import { blobStoreContract, recordStoreContract } from '../../../src/testing.js'
import { encryptStore } from '../../support/stores/encrypted-stores.js'
import {
  createStoreOnTables,
  createTestSchema,
  databaseUrl,
  skippedSuffix,
  type TestSchema,
} from '../support/stores/postgres.js'

describe.runIf(databaseUrl !== undefined)(
  `createEncryptedStore on PostgreSQL${skippedSuffix}`,
  { timeout: 60_000 },
  () => {
    let server: TestSchema
    beforeAll(async () => {
      server = await createTestSchema()
    })
    afterAll(() => server.remove())

    const createStore = async () =>
      encryptStore(await createStoreOnTables(server.connect({ max: 4 }), server.schema))
    it.each(recordStoreContract)('records: $name', async ({ run }) =>
      run((await createStore()).records),
    )
    it.each(blobStoreContract)('blobs: $name', async ({ run }) => run((await createStore()).blobs))
  },
)
