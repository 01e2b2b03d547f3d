import { describe, expect, it } from 'vitest'
import { StorageError } from '../../../../src/errors.js'
import { createPostgresStore, type PostgresClient } from '../../../../src/storage/postgres.js'
import { utf8 } from '../../../support/bytes.js'

const key = { collection: 'c', id: 'a' }

interface Failing extends PostgresClient {
  tries: number
}

/** Returns a client that throws `error` this many times, and then returns one row. */
function failing(error: unknown, times = Number.POSITIVE_INFINITY): Failing {
  return {
    tries: 0,
    async query() {
      if (++this.tries <= times) throw error
      return { rows: [{ version: 1, body: utf8('x') }] }
    },
  }
}

function driverError(code: string, members: object = {}): Error {
  return Object.assign(new Error('duplicate key: (hunter2)'), { code, ...members })
}

/** The error of Prisma 7 with a driver adapter. */
function prismaError(kind: string): Error {
  return driverError('P2010', { meta: { driverAdapterError: { cause: { kind } } } })
}

const rolledBack: readonly [string, unknown][] = [
  ['a serialization failure', driverError('40001')],
  ['a deadlock', driverError('40P01')],
  ["Drizzle's error around one", new Error('failed query', { cause: driverError('40001') })],
  [
    "Prisma's error around one",
    driverError('P2010', { meta: { driverAdapterError: { cause: { originalCode: '40001' } } } }),
  ],
  ["Prisma's older error around one", driverError('P2010', { meta: { code: '40P01' } })],
  ['one in ten errors', nested(driverError('40001'), 10)],
]

function nested(error: unknown, depth: number): unknown {
  return depth === 0 ? error : nested(new Error('outer', { cause: error }), depth - 1)
}

/** Returns an error that is its own cause. */
function cyclic(code: string): Error {
  const inner = driverError(code)
  const outer = new Error('outer', { cause: inner })
  return Object.assign(inner, { cause: outer })
}

describe('createQuery when the server has rolled back a statement', () => {
  it.each([...rolledBack, ['a circular cause', cyclic('40001')] as const])(
    'puts it again after %s',
    async (_, error) => {
      const client = failing(error, 3)
      expect(await createPostgresStore(client).records.put(key, { body: utf8('x') }, 1)).toBe(true)
      expect(client.tries).toBe(4)
    },
  )

  it('rejects with 503 after ten attempts', async () => {
    const client = failing(driverError('40001'))
    const { records } = createPostgresStore(client)
    const given = records.put(key, { body: utf8('x') }, 1)
    await expect(given).rejects.toMatchObject({ status: 503, code: 'STORAGE_UNAVAILABLE' })
    expect(client.tries).toBe(10)
  })

  it('waits longer before each attempt, at most 250 ms', async () => {
    const start = performance.now()
    await createPostgresStore(failing(driverError('40001'), 5)).records.get(key)
    expect(performance.now() - start).toBeLessThan(8 + 16 + 32 + 64 + 128 + 200)
  })
})

describe('createQuery when a statement may have been executed', () => {
  it.each([
    ['23505', 500],
    ['42601', 500],
    ['22P02', 500],
    ['57P04', 500],
    ['XX000', 500],
    ['ERR_INVALID_ARG_TYPE', 500],
    ['P2010', 500],
    ['08006', 503],
    ['08P01', 503],
    ['53300', 503],
    ['53100', 503],
    ['57014', 503],
    ['57P01', 503],
    ['57P03', 503],
    ['25006', 503],
    ['55P03', 503],
    ['40003', 503],
    ['ECONNREFUSED', 503],
    ['ECONNRESET', 503],
    ['EAI_AGAIN', 503],
    ['CONNECTION_CLOSED', 503],
    ['CONNECT_TIMEOUT', 503],
    ['P1001', 503],
    ['P2024', 503],
  ])('rejects without a retry after %s, with status %i', async (code, status) => {
    for (const error of [driverError(code), nested(driverError(code), 2)]) {
      const client = failing(error)
      const given = createPostgresStore(client).records.put(key, { body: utf8('x') }, 1)
      await expect(given).rejects.toMatchObject({ status, cause: { message: `Error ${code}` } })
      expect(client.tries).toBe(1)
    }
  })

  it.each([
    ['Connection terminated unexpectedly', 503],
    ['timeout exceeded when trying to connect', 503],
    ['Client has encountered a connection error and is not queryable', 503],
    ['PGlite is closed', 503],
    ['bind message has 3 parameter formats', 500],
  ])(
    'rejects with the status of the message %j when the driver has no code: %i',
    async (message, status) => {
      const given = createPostgresStore(failing(new Error(message))).records.get(key)
      await expect(given).rejects.toMatchObject({ status })
    },
  )

  it.each([
    ["Prisma's error around a refused connection", prismaError('DatabaseNotReachable'), 503],
    ["Prisma's error around a lost connection", prismaError('ConnectionClosed'), 503],
    [
      "Prisma's error around a type that it cannot read",
      prismaError('UnsupportedNativeDataType'),
      500,
    ],
    ['the event of a WebSocket that is not connected', new Event('error'), 503],
    ['another event', new Event('message'), 500],
  ])('rejects without a retry after %s', async (_, error, status) => {
    const client = failing(error)
    const given = createPostgresStore(client).records.get(key)
    await expect(given).rejects.toMatchObject({ status })
    expect(client.tries).toBe(1)
  })

  it.each([
    ['42P01', 'the tables do not exist: run migratePostgres first'],
    ['3F000', 'the schema does not exist: create it first'],
  ])('rejects after %s with the hint: %s', async (code, hint) => {
    const given = createPostgresStore(failing(driverError(code))).records.get(key)
    await expect(given).rejects.toMatchObject({ code: 'STORAGE_FAILED', message: hint })
  })

  it.each([
    ['a text', 'hunter2'],
    ['nothing', undefined],
    ['an object that cannot be looked into', new Proxy({}, { get: () => fail() })],
  ])('rejects with a StorageError when %s is thrown', async (_, thrown) => {
    const given = createPostgresStore(failing(thrown)).records.get(key)
    await expect(given).rejects.toThrow(StorageError)
    await expect(given).rejects.toMatchObject({ status: 500, message: 'the database failed' })
  })

  it('keeps only the name and the code of the driver’s error', async () => {
    const error = driverError('23505', { detail: 'Key (hunter2) already exists', where: 'hunter2' })
    const given = await createPostgresStore(failing(nested(error, 3)))
      .records.get(key)
      .catch((thrown: unknown) => thrown)
    const members = (value: unknown): string =>
      JSON.stringify(value, Object.getOwnPropertyNames(Object(value)))
    const cause = (given as Error).cause
    expect(`${String(given)} ${members(given)} ${members(cause)}`).not.toMatch(/hunter2|outer/)
    expect(String(cause)).toBe('Error: Error 23505')
  })
})

function fail(): never {
  throw new Error('looked into')
}
