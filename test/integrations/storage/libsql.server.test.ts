import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { VaultStore } from '../../../src/index.js'
import { createLibsqlStore, migrateLibsql } from '../../../src/storage/libsql.js'
import { blobStoreContract, recordStoreContract } from '../../../src/testing.js'
import {
  type LibsqlConnection,
  type LibsqlServer,
  libsqlProgram,
  openLibsql,
  startLibsql,
} from '../../../tools/reliability/support/libsql-server.js'
import { readBytes, streamOf } from '../../support/bytes.js'
import { increment } from '../../support/stores/increment.js'

const key = { collection: 'c', id: 'a' }
const body = Uint8Array.of(1, 2)
const failed = { code: 'STORAGE_FAILED', status: 500 }
const unavailable = { code: 'STORAGE_UNAVAILABLE', status: 503 }

const isInstalled = libsqlProgram() !== undefined
const skippedSuffix = isInstalled
  ? ''
  : ' (not run: needs Linux on x64, and an npm with allowScripts)'

describe(`createLibsqlStore on a server${skippedSuffix}`, () => {
  it('is tested when the server is installed', () => {
    expect(typeof isInstalled).toBe('boolean')
  })
})

describe.runIf(isInstalled).each(['http', 'ws'])(
  'createLibsqlStore on a server by %s',
  (scheme) => {
    let server: LibsqlServer
    beforeAll(async () => {
      server = await startLibsql()
    })
    afterAll(() => server.stop())

    const open = (): LibsqlConnection => {
      const client = openLibsql(server.url.replace('http', scheme))
      onTestFinished(() => client.close())
      return client
    }
    const openStore = (): VaultStore => createLibsqlStore(open())
    beforeEach(async () => {
      const client = openLibsql(server.url)
      await migrateLibsql(client)
      const tables = ['cofferkit_chunks', 'cofferkit_blobs', 'cofferkit_records']
      const statements = tables.map((table) => ({ sql: `delete from ${table}`, args: [] }))
      await client.batch(statements, 'write')
      client.close()
    })

    it.each(recordStoreContract)('records: $name', ({ run }) => run(openStore().records))
    it.each(blobStoreContract)('blobs: $name', ({ run }) => run(openStore().blobs))

    it('loses no put of several clients that change the same records', async () => {
      const clients = Array.from({ length: 4 }, () => openStore().records)
      const work = clients.flatMap((records) =>
        ['a', 'b'].map((id) => increment(records, { ...key, id }, 10)),
      )
      await Promise.all(work)
      for (const id of ['a', 'b']) {
        const record = await clients[0]?.get({ ...key, id })
        expect(record?.version).toBe(40)
        expect(new TextDecoder().decode(record?.body)).toBe('40')
      }
    })

    it('stores a content of several chunks', async () => {
      const { blobs } = openStore()
      const bytes = Uint8Array.from({ length: 600_001 }, (_, index) => (index * 31) & 255)
      await blobs.write('v/a', bytes)
      expect(await readBytes((await blobs.read('v/a')) ?? streamOf([]))).toEqual(bytes)
    })

    it('stores a record of 4 MB, and rejects one that is larger than a row can be', async () => {
      const { records } = openStore()
      expect(await records.put(key, { body: new Uint8Array(4_000_000) }, 0)).toBe(true)
      expect((await records.get(key))?.body).toHaveLength(4_000_000)
      for (const size of [5_000_000, 6_000_000])
        await expect(records.put(key, { body: new Uint8Array(size) }, 1)).rejects.toMatchObject(
          failed,
        )
      expect((await records.get(key))?.version).toBe(1)
    })

    it('rejects with 503 while the server is down, and works after its restart', async () => {
      const store = openStore()
      await store.records.put(key, { body }, 0)
      await server.kill()
      const opened = openStore()
      for (const { records, blobs } of [store, opened])
        for (const call of [
          () => records.get(key),
          () => records.put(key, { body }, 1),
          () => records.delete(key, 1),
          () => records.list('c', { limit: 1 }),
          () => blobs.read('v/a'),
          () => blobs.write('v/a', body),
          () => blobs.delete('v/a'),
        ])
          await expect(call()).rejects.toMatchObject(unavailable)
      await expect(migrateLibsql(open())).rejects.toMatchObject(unavailable)
      await server.restart()
      for (const { records, blobs } of [store, opened]) {
        expect((await records.get(key))?.version).toBe(1)
        await blobs.delete('v/a')
      }
    })

    it('rejects every call with 503 that a kill of the server interrupts, and keeps the others', async () => {
      const store = openStore()
      const acknowledged = new Map<string, number>()
      const writeUntilLost = async (id: string): Promise<unknown> => {
        for (let version = 0; ; version++) {
          const given = store.records.put({ ...key, id }, { body: new Uint8Array(50_000) }, version)
          const error: unknown = await given.then(
            () => undefined,
            (reason: unknown) => reason,
          )
          if (error !== undefined) return error
          acknowledged.set(id, version + 1)
        }
      }
      const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
      const errors = Promise.all(ids.map(writeUntilLost))
      await expect.poll(() => acknowledged.size).toBe(ids.length)
      await server.kill()
      for (const error of await errors) expect(error).toMatchObject(unavailable)
      await server.restart()
      for (const [id, version] of acknowledged) {
        const found = await store.records.get({ ...key, id })
        // The put that was interrupted may have been done.
        expect([version, version + 1]).toContain(found?.version)
        expect(found?.body).toHaveLength(50_000)
      }
    })
  },
)

describe.runIf(isInstalled)('migrateLibsql on a server', () => {
  it('can run in several clients at the same time', async () => {
    const server = await startLibsql()
    onTestFinished(() => server.stop())
    const clients = Array.from({ length: 4 }, () => openLibsql(server.url))
    await Promise.all(clients.map((client) => migrateLibsql(client)))
    for (const client of clients) {
      expect(await createLibsqlStore(client).records.get(key)).toBeUndefined()
      client.close()
    }
  })
})
