import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Client, createClient } from '@libsql/client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  createLibsqlStore,
  type LibsqlStatement,
  migrateLibsql,
} from '../../../src/storage/libsql.js'
import { openSqliteStore } from '../../../src/storage/sqlite.js'
import { blobStoreContract, recordStoreContract } from '../../../src/testing.js'
import { utf8 } from '../../support/bytes.js'
import { createDatabasePath } from '../../support/stores/sqlite.js'

const key = { collection: 'c', id: 'a' }
const body = Uint8Array.of(1, 2)
const secret = 'correct horse battery staple'
const failed = { code: 'STORAGE_FAILED', status: 500 }
const unavailable = { code: 'STORAGE_UNAVAILABLE', status: 503 }
const open = (url = ':memory:'): Client => {
  const client = createClient({ url })
  onTestFinished(() => client.close())
  return client
}

describe('createLibsqlStore on @libsql/client in memory', () => {
  const create = async () => {
    const client = open()
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

  it('sends writes one after another, also when one fails', async () => {
    const { client } = await create()
    let running = 0
    const { records, blobs } = createLibsqlStore({
      async execute(statement) {
        expect(++running).toBe(1)
        try {
          return await client.execute(statement)
        } finally {
          await new Promise(setImmediate)
          running--
        }
      },
      async batch(statements, mode) {
        expect(++running).toBe(1)
        await client.batch(statements, mode).finally(() => running--)
      },
    })
    await blobs.write('v/a', body)
    const results = await Promise.allSettled([
      records.put(key, { body }, 0),
      records.put(key, { body }, 0),
      blobs.write('v/a', body),
      records.delete(key, 1),
    ])
    expect(results).toMatchObject([
      { value: true },
      { value: false },
      { reason: failed },
      { value: true },
    ])
  })

  it('sends the next write 5 seconds after one that never ends', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { client } = await create()
    const execute = vi.fn(({ args }: LibsqlStatement) =>
      execute.mock.calls.length === 1
        ? new Promise<never>(() => {})
        : client.execute({ sql: 'select ? as version', args: args.slice(0, 1) }),
    )
    const { records } = createLibsqlStore({ execute, batch: client.batch.bind(client) })
    records.put(key, { body }, 0)
    const next = records.put(key, { body }, 0)
    await vi.advanceTimersByTimeAsync(4999)
    expect(execute).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await next).toBe(true)
    expect(execute).toHaveBeenCalledTimes(2)
  })

  it('rejects with 500 when the tables do not exist', async () => {
    const { records, blobs } = createLibsqlStore(open())
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
  it('refuses a local file before anything is written to it', async () => {
    const path = createDatabasePath()
    const sync = await openSqliteStore(path)
    const client = open(`file:${path}`)
    const { records, blobs } = createLibsqlStore(client)
    const message =
      '@libsql/client can lose writes to a local file: ' +
      'use openSqliteStore of cofferkit/sqlite with the driver libsql'
    for (const call of [
      () => records.put(key, { body }, 0),
      () => records.delete(key, 1),
      () => records.get(key),
      () => blobs.write('v/a', body),
      () => blobs.delete('v/a'),
      () => migrateLibsql(client),
    ])
      for (let time = 0; time < 2; time++)
        await expect(call()).rejects.toMatchObject({ ...failed, message })
    expect(await sync.records.get(key)).toBeUndefined()
    expect(await sync.blobs.read('v/a')).toBeUndefined()
    await sync.close()
  })

  it('refuses an embedded replica', async () => {
    // Opening a real one needs its server.
    const rows = [{ seq: 0, name: 'main', file: '/data/replica.db' }]
    const client = { protocol: 'file', execute: async () => ({ rows }), batch: async () => [] }
    await expect(migrateLibsql(client)).rejects.toMatchObject(failed)
  })

  it('asks a server nothing about its files', async () => {
    const statements: string[] = []
    const execute = async ({ sql }: LibsqlStatement) => {
      statements.push(sql)
      return { rows: [] }
    }
    const client = { protocol: 'http', execute, batch: async () => [] }
    expect(await createLibsqlStore(client).records.get(key)).toBeUndefined()
    expect(statements).toHaveLength(1)
  })

  it('rejects with 503 when the database is locked', async () => {
    const execute = () =>
      Promise.reject(Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' }))
    const { records } = createLibsqlStore({ execute, batch: execute })
    await expect(records.put(key, { body }, 0)).rejects.toMatchObject(unavailable)
  })

  it.each(['http', 'ws'])('rejects with 503 when the %s server is out of reach', async (scheme) => {
    const client = createClient({ url: `${scheme}://127.0.0.1:1`, authToken: secret })
    onTestFinished(() => client.close())
    const { records, blobs } = createLibsqlStore(client)
    for (const call of [records.get(key), records.put(key, { body }, 0), blobs.write('v/a', body)])
      await expect(call).rejects.toMatchObject(unavailable)
  })

  it('rejects with 503 when the connection is lost in the middle of a response', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
      response.write('{', () => response.destroy())
    })
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { records } = createLibsqlStore(open(`http://127.0.0.1:${port}`))
    await expect(records.get(key)).rejects.toMatchObject(unavailable)
  })

  it('rejects with 500 when the client is closed', async () => {
    const client = open()
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
})

describe('migrateLibsql', () => {
  it('does nothing the second time, and can run concurrently', async () => {
    const client = open()
    for (let time = 0; time < 2; time++)
      await Promise.all(Array.from({ length: 3 }, () => migrateLibsql(client)))
    const { rows } = await client.execute({ sql: 'select version from cofferkit_schema', args: [] })
    expect(rows).toMatchObject([{ version: 1 }])
  })
})
