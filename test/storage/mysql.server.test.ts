import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blobStoreContract, recordStoreContract } from '../../src/testing.js'
import {
  createStoreOnTables,
  drivers,
  startTestServer,
  type TestPool,
  type TestServer,
} from '../support/stores/mysql.js'

describe.each(drivers)('createMysqlStore with %s', { timeout: 60_000 }, (driver) => {
  let server: TestServer
  let pool: TestPool
  beforeAll(async () => {
    server = await startTestServer()
    pool = server.connect(driver)
  })
  afterAll(() => server.remove())

  it.each(recordStoreContract)('records: $name', async ({ run }) =>
    run((await createStoreOnTables(pool)).records),
  )
  it.each(blobStoreContract)('blobs: $name', async ({ run }) =>
    run((await createStoreOnTables(pool)).blobs),
  )
  it('x', () => expect(1).toBe(1))
})
