import { type Client, createClient } from '@libsql/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLibsqlStore, migrateLibsql } from '../../../src/storage/libsql.js'
import { openSqliteStore } from '../../../src/storage/sqlite.js'
import { blobStoreContract, recordStoreContract } from '../../../src/testing.js'
import { readBytes, streamOf, utf8 } from '../../support/bytes.js'
import { createDatabasePath } from '../../support/stores/sqlite.js'

const key = { collection: 'c', id: 'a' }
const body = Uint8Array.of(1, 2)
const secret = 'correct horse battery staple'
const failed = { code: 'STORAGE_FAILED', status: 500 }
const unavailable = { code: 'STORAGE_UNAVAILABLE', status: 503 }
const openFile = (path = createDatabasePath()): Client => {
  const client = createClient({ url: `file:${path}` })
  onTestFinished(() => client.close())
  return client
}

describe('createLibsqlStore on @libsql/client', () => {
  const create = async () => {
    const client = openFile()
    await migrateLibsql(client)
    return { client, ...createLibsqlStore(client) }
  }

  it.each(recordStoreContract)('records: $name', async ({ run }) => run((await create()).records))
  it.each(blobStoreContract)('blobs: $name', async ({ run }) => run((await create()).blobs))

  it('returns plain Uint8Arrays', async () => {
    const { records } = await create()
    await records.put(key, { body }, 0)
    expect((await records.get(key))?.body.constructor).toBe(Uint8Array)
    expect((await records.list('c', { limit: 1 }))[0]?.body.constructor).toBe(Uint8Array)
  })

  it('stores a content of several chunks', async () => {
    const { blobs } = await create()
    const bytes = Uint8Array.from({ length: 600_001 }, (_, index) => (index * 31) & 255)
    await blobs.write('v/a', bytes)
    expect(await readBytes((await blobs.read('v/a')) ?? streamOf([]))).toEqual(bytes)
    await expect(blobs.write('v/a', streamOf([bytes]))).rejects.toMatchObject({
      ...failed,
      message: 'a blob with this id already exists',
    })
    await blobs.delete('v/a')
    expect(await blobs.read('v/a')).toBeUndefined()
  })

  it('rejects with 500 when the tables do not exist', async () => {
    const { records, blobs } = createLibsqlStore(openFile())
    await expect(records.get(key)).rejects.toMatchObject(failed)
    await expect(blobs.write('v/a', body)).rejects.toMatchObject(failed)
  })

  it('rejects with no value in the error', async () => {
    const { client, records } = await create()
    const sql = `create trigger refuse before insert on cofferkit_records
      begin select raise(abort, '${secret}'); end`
    await client.execute({ sql, args: [] })
    const error: unknown = await records
      .put(key, { body: utf8(secret), indexKey: secret }, 0)
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject(failed)
    const { stack, cause } = error as Error
    expect(`${stack} ${(cause as Error).stack}`).not.toContain(secret)
  })

  it('rejects a write and leaves nothing when the blob is deleted during it', async () => {
    const { client, blobs } = await create()
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const done = blobs.write('v/a', readable)
    const writer = writable.getWriter()
    await writer.write(new Uint8Array(600_000))
    await blobs.delete('v/a')
    await Promise.allSettled([writer.write(new Uint8Array(600_000)), writer.close()])
    await expect(done).rejects.toMatchObject(failed)
    for (const table of ['cofferkit_blobs', 'cofferkit_chunks']) {
      const { rows } = await client.execute({ sql: `select 1 from ${table}`, args: [] })
      expect(rows).toEqual([])
    }
  })

  it('rejects with 500 when the tables were created by a newer version', async () => {
    const { client } = await create()
    await client.execute({ sql: 'update cofferkit_schema set version = 99', args: [] })
    await expect(migrateLibsql(client)).rejects.toMatchObject(failed)
  })
})

describe('createLibsqlStore', () => {
  it('shares a file with createSqliteStore', async () => {
    const path = createDatabasePath()
    const sync = await openSqliteStore(path)
    await sync.records.put(key, { body, indexKey: 'l' }, 0)
    await sync.blobs.write('v/a', new Uint8Array(600_000))
    // Two libraries in one process do not see each other's locks.
    await sync.close()
    const client = openFile(path)
    await migrateLibsql(client)
    const { records, blobs } = createLibsqlStore(client)
    expect(await records.list('c', { indexKey: 'l', limit: 2 })).toMatchObject([{ id: 'a', body }])
    expect(await records.put(key, { body }, 1)).toBe(true)
    await blobs.delete('v/a')
    client.close()
    const again = await openSqliteStore(path)
    expect((await again.records.get(key))?.version).toBe(2)
    expect(await again.blobs.read('v/a')).toBeUndefined()
    await again.close()
  })

  it('keeps synchronous=FULL of the client', async () => {
    const { rows } = await openFile().execute({ sql: 'pragma synchronous', args: [] })
    expect(rows).toMatchObject([{ synchronous: 2 }])
  })

  it('retries while another connection has the lock, and rejects with 503 after the timeout', async () => {
    const path = createDatabasePath()
    const client = openFile(path)
    await migrateLibsql(client)
    const holder = await openFile(path).transaction('write')
    const { records } = createLibsqlStore(client, { busyTimeoutMs: 20 })
    await expect(records.put(key, { body }, 0)).rejects.toMatchObject(unavailable)
    const waiting = createLibsqlStore(client).records.put(key, { body }, 0)
    setTimeout(() => void holder.commit(), 20)
    expect(await waiting).toBe(true)
  })

  it.each(['http', 'ws'])('rejects with 503 when the %s server is out of reach', async (scheme) => {
    const client = createClient({ url: `${scheme}://127.0.0.1:1`, authToken: secret })
    onTestFinished(() => client.close())
    const { records, blobs } = createLibsqlStore(client)
    for (const call of [records.get(key), records.put(key, { body }, 0), blobs.write('v/a', body)])
      await expect(call).rejects.toMatchObject(unavailable)
  })

  it('rejects with 500 when the client is closed', async () => {
    const client = createClient({ url: `file:${createDatabasePath()}` })
    client.close()
    await expect(createLibsqlStore(client).records.get(key)).rejects.toMatchObject(failed)
  })

  it.each([
    { rows: undefined },
    { rows: [{ version: 1, body: 'text' }] },
    { rows: [{ version: 1, body: [256] }] },
    { rows: [{ version: 1, body: [-1] }] },
    { rows: [{ version: 1, body: ['1'] }] },
    { rows: [{ version: '1', body }] },
  ])('rejects with 500 when the client returns %j', async (result) => {
    const execute = async () => result as { rows: unknown[] }
    const { records } = createLibsqlStore({ execute, batch: async () => [] })
    await expect(records.get(key)).rejects.toMatchObject(failed)
  })

  it.each([-1, Number.NaN, '5'])('throws a RangeError for the busy timeout %s', (value) => {
    const client = { execute: async () => ({ rows: [] }), batch: async () => [] }
    const busyTimeoutMs = value as number
    expect(() => createLibsqlStore(client, { busyTimeoutMs })).toThrow(RangeError)
  })
})

describe('migrateLibsql', () => {
  it('does nothing the second time, and can run concurrently', async () => {
    const path = createDatabasePath()
    const clients = [openFile(path), openFile(path), openFile(path)]
    await Promise.all(clients.map(migrateLibsql))
    await Promise.all(clients.map(migrateLibsql))
    const [client] = clients
    const rows = (await client?.execute({ sql: 'select version from cofferkit_schema', args: [] }))
      ?.rows
    expect(rows).toMatchObject([{ version: 1 }])
  })
})
