import { afterAll, describe, it } from 'vitest'
import type { VaultStore } from '../../src/index.js'
import { blobStoreContract, recordStoreContract } from '../../src/testing.js'
import { encrypted } from '../support/stores/encrypted-stores.js'
import {
  createPlace,
  databaseUrl,
  freshStore,
  openPGlite,
  type ServerPlace,
} from '../support/stores/postgres.js'

const database = openPGlite()
let ref: Promise<ServerPlace> | undefined

afterAll(async () => {
  await database.close()
  await (await ref)?.remove()
})

async function onServer(): Promise<VaultStore> {
  ref ??= createPlace()
  const { schema, connect } = await ref
  return freshStore(connect({ max: 4 }), schema)
}

const engines: [string, () => Promise<VaultStore>][] = [['PGlite', () => freshStore(database)]]
if (databaseUrl !== undefined) engines.push(['PostgreSQL', onServer])

describe.each(engines)('encrypted(%s)', { timeout: 60_000 }, (_, createStore) => {
  it.each(recordStoreContract)('as a record store $name', async ({ run }) =>
    run(encrypted(await createStore()).records),
  )
  it.each(blobStoreContract)('as a blob store $name', async ({ run }) =>
    run(encrypted(await createStore()).blobs),
  )
})
