import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCaller, createVaultService, type VaultStore } from '../../../src/index.js'
import { createMysqlStore } from '../../../src/storage/mysql.js'
import { createPostgresStore } from '../../../src/storage/postgres.js'
import { readBytes } from '../../support/bytes.js'
import * as mysql from '../support/stores/mysql.js'
import * as postgres from '../support/stores/postgres.js'
import { countRoundTrips, type RoundTripCounter } from '../support/stores/round-trips.js'

const caller = createCaller({ id: 'user', vaults: '*' })

/**
 * The round trips of each operation. A change reads the item and writes it; a create also reads the
 * vault, before and after.
 */
const expected = {
  createItem: 3,
  getItem: 1,
  listItems: 2,
  replaceItem: 2,
  patchItem: 2,
  regenerateField: 2,
  attachFile: 9,
  readFileContent: 2,
  removeFile: 5,
  deleteItem: 5,
}

/** Runs every operation once on an item of its own, and counts. */
async function countByOperation(
  store: VaultStore,
  { takeCount }: RoundTripCounter,
): Promise<Readonly<Record<string, number>>> {
  const service = createVaultService({ store })
  const { id: vaultId } = await service.createVault(caller, { name: 'v' })
  const counts: Record<string, number> = {}
  const count = async <Result>(name: string, call: Promise<Result>): Promise<Result> => {
    const result = await call
    counts[name] = takeCount()
    return result
  }
  takeCount()
  const item = {
    category: 'LOGIN',
    vault: { id: vaultId },
    title: 'item',
    fields: [{ id: 'password', type: 'CONCEALED', value: 'x'.repeat(2000) }],
  } as const
  const { id: itemId } = await count('createItem', service.createItem(caller, { vaultId, item }))
  const ref = { vaultId, itemId }
  await count('getItem', service.getItem(caller, ref))
  await count('listItems', service.listItems(caller, { vaultId }))
  await count('replaceItem', service.replaceItem(caller, { ...ref, item }))
  const patch = [{ op: 'replace', path: '/fields/password/value', value: 'y' }] as const
  await count('patchItem', service.patchItem(caller, { ...ref, patch }))
  await count('regenerateField', service.regenerateField(caller, { ...ref, fieldId: 'password' }))
  const file = { name: 'file', content: new Uint8Array(1000) }
  const { id: fileId } = await count('attachFile', service.attachFile(caller, { ...ref, ...file }))
  const { content } = await service.readFileContent(caller, { ...ref, fileId })
  await count('readFileContent', readBytes(content))
  await count('removeFile', service.removeFile(caller, { ...ref, fileId }))
  await count('deleteItem', service.deleteItem(caller, ref))
  return counts
}

/** The counts once the connection is prepared: sessions are checked and statements prepared once. */
async function countPrepared(store: VaultStore, counter: RoundTripCounter) {
  await countByOperation(store, counter)
  return countByOperation(store, counter)
}

describe.runIf(postgres.databaseUrl !== undefined)(
  `createPostgresStore on the wire${postgres.skippedSuffix}`,
  () => {
    let server: postgres.TestSchema
    let counter: RoundTripCounter
    beforeAll(async () => {
      server = await postgres.createTestSchema()
      counter = await countRoundTrips(new URL(postgres.databaseUrl ?? ''))
    })
    afterAll(async () => {
      await server.remove()
      counter.close()
    })

    it.each([false, true])(
      'makes one round trip for each statement with prepare %s',
      async (prepare) => {
        const url = new URL(postgres.databaseUrl ?? '')
        url.host = `127.0.0.1:${counter.port}`
        const pool = server.connect({ connectionString: url.href, max: 1 })
        const tables = await postgres.createTables(pool, server.schema)
        const store = createPostgresStore(pool, { ...tables, prepare })
        expect(await countPrepared(store, counter)).toEqual(expected)
      },
    )
  },
)

describe.each(mysql.drivers)(`createMysqlStore on the wire with %s`, (driver) => {
  let server: mysql.TestServer
  let counter: RoundTripCounter
  beforeAll(async () => {
    server = await mysql.startTestServer()
    counter = await countRoundTrips(new URL(server.server?.url ?? process.env['MYSQL_URL'] ?? ''))
  })
  afterAll(async () => {
    await server.remove()
    counter.close()
  })

  it('makes one round trip for each statement', async () => {
    const more = { connectionLimit: 1, host: '127.0.0.1', port: counter.port }
    const pool = server.connect(driver, { more })
    const store = createMysqlStore(pool, await mysql.createTables(pool))
    expect(await countPrepared(store, counter)).toEqual(expected)
  })
})
