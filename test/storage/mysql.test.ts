import { describe, expect, it } from 'vitest'
import { StorageError } from '../../src/errors.js'
import {
  createMysqlStore,
  type MysqlClient,
  migrateMysql,
  mysqlMigrations,
} from '../../src/storage/mysql.js'
import { utf8 } from '../support/bytes.js'

const key = { collection: 'c', id: 'a' }
const settings = {
  ...{ autocommit: 1, isolation: 'REPEATABLE-READ', mode: 'STRICT_TRANS_TABLES' },
  ...{ maxPacket: 16_777_216, readOnly: 0, engineReadOnly: 0, otherTables: 0 },
  foreignKeyChecks: 1,
}

interface FakeClient extends MysqlClient {
  /** The texts of the statements, without that of the settings. */
  readonly texts: string[]
  /** The number of statements that have read the settings. */
  checks: number
}

/** Returns a client with these settings, whose other statements `run` answers. */
function answering(run: (attempt: number) => unknown, session: object = settings): FakeClient {
  return {
    texts: [],
    checks: 0,
    async execute(text) {
      if (text.includes('@@autocommit')) {
        this.checks++
        return [[session], []]
      }
      this.texts.push(text)
      return run(this.texts.length)
    },
  }
}

/** Throws the error in the first `times` attempts, and then reports one written row. */
function failing(error: unknown, times = Number.POSITIVE_INFINITY): FakeClient {
  return answering((attempt) => {
    if (attempt <= times) throw error
    return { affectedRows: 1 }
  })
}

function driverError(errno: number | undefined, code?: string): Error {
  return Object.assign(new Error('Duplicate entry hunter2'), { errno, code, sql: 'hunter2' })
}

describe('createMysqlStore', () => {
  it('tells whether the tables exist, by their names', async () => {
    const values: unknown[] = []
    const store = (count: number) => {
      const client = answering(() => [[{ count }], []])
      const { execute } = client
      client.execute = (text, given) => {
        values.push(given)
        return execute.call(client, text, given)
      }
      return createMysqlStore(client, { database: 'vaults', tablePrefix: 'app_' })
    }
    expect(await store(1).hasTables()).toBe(true)
    expect(values.at(-1)).toEqual(['vaults', 'app_records'])
    expect(await store(0).hasTables()).toBe(false)
  })

  it('lists the ids of all contents of files', async () => {
    const client = answering(() => [[{ id: Buffer.from('v/a') }, { id: Buffer.from('v/b') }], []])
    const store = createMysqlStore(client, { database: 'vaults' })
    expect(await store.listBlobIds()).toEqual(['v/a', 'v/b'])
    expect(client.texts).toEqual(['SELECT id FROM `vaults`.`cofferkit_blobs`'])
  })

  it.each([
    ['mysql2', [{ affectedRows: 1, serverStatus: 2 }, undefined]],
    ['mariadb', { affectedRows: 1, insertId: 0n }],
    ['a driver with bigints', { affectedRows: 1n }],
  ])('reads the number of written rows of %s', async (_, header) => {
    const { records } = createMysqlStore(answering(() => header))
    expect(await records.put(key, { body: utf8('x') }, 0)).toBe(true)
    expect(await records.put(key, { body: utf8('x') }, 1)).toBe(true)
    expect(await records.delete(key, 2)).toBe(true)
  })

  it.each([
    ['nothing', undefined],
    ['a header without a number', [{}]],
    ['a header with a negative number', { affectedRows: -1 }],
    ['rows', [[{ version: 1 }], []]],
  ])('rejects a put when the client returns %s', async (_, result) => {
    const { records } = createMysqlStore(answering(() => result))
    await expect(records.put(key, { body: utf8('x') }, 1)).rejects.toThrow(StorageError)
  })

  it.each([
    ['no list', undefined],
    ['a header', { affectedRows: 1 }],
    ['a version of -1', [{ id: utf8('a'), version: -1, body: utf8('x') }]],
    ['a version of 1.5', [{ id: utf8('a'), version: 1.5, body: utf8('x') }]],
    ['no version', [{ id: utf8('a'), body: utf8('x') }]],
    ['a body as a string', [{ id: utf8('a'), version: 1, body: 'x' }]],
    ['an id as a string', [{ id: 'a', version: 1, body: utf8('x') }]],
    ['a row that is a list', [[['a', 1, utf8('x')]], []]],
    ['an absent row', [undefined]],
  ])('rejects a list when the client returns %s', async (_, result) => {
    const { records } = createMysqlStore(answering(() => result))
    await expect(records.list('c', { limit: 1 })).rejects.toThrow(StorageError)
  })

  it('returns plain Uint8Arrays, whose toString does not print their text', async () => {
    const row = { version: 1, body: Buffer.from('secret') }
    const stored = await createMysqlStore(answering(() => [row])).records.get(key)
    expect(stored?.body.constructor).toBe(Uint8Array)
    expect(String(stored?.body)).not.toContain('secret')
  })

  it.each([
    ['autocommit', 0],
    ['autocommit', '0'],
    ['foreignKeyChecks', 0],
    ['isolation', 'READ-UNCOMMITTED'],
    ['mode', 'ANSI,EMPTY_STRING_IS_NULL'],
    ['otherTables', 1n],
    ['maxPacket', undefined],
  ])('runs no statement when the setting %s is %s', async (name, value) => {
    const client = answering(() => [], { ...settings, [name]: value })
    const { records } = createMysqlStore(client)
    await expect(records.get(key)).rejects.toMatchObject({ status: 500 })
    expect(client.texts).toEqual([])
  })

  it.each([
    ['readOnly', 'ON'],
    ['readOnly', 1n],
    ['engineReadOnly', '1'],
    ['readOnly', 'NO_LOCK'],
  ])('rejects with 503 when the setting %s is %s', async (name, value) => {
    const { records } = createMysqlStore(answering(() => [], { ...settings, [name]: value }))
    await expect(records.get(key)).rejects.toMatchObject({ status: 503 })
  })

  it('reads the settings once, and again after the connection was lost', async () => {
    const client = answering((attempt) => {
      if (attempt === 3) throw driverError(undefined, 'PROTOCOL_CONNECTION_LOST')
      return []
    })
    const { records } = createMysqlStore(client)
    await records.get(key)
    await records.get(key)
    expect(client.checks).toBe(1)
    await expect(records.get(key)).rejects.toMatchObject({ status: 503 })
    await records.get(key)
    expect(client.checks).toBe(2)
  })

  it.each([
    ['', 'tablePrefix'],
    ['a-b', 'tablePrefix'],
    ['a`; DROP TABLE x; --', 'tablePrefix'],
    ['a'.repeat(41), 'tablePrefix'],
    ['a.b', 'database'],
    ['ä', 'database'],
    ['a'.repeat(65), 'database'],
  ])('throws a TypeError for %j as %s', async (name, option) => {
    const tables = { [option]: name }
    const message = new RegExp(`^options\\.${option} must be`)
    const client = answering(() => [])
    expect(() => createMysqlStore(client, tables)).toThrow(message)
    expect(() => mysqlMigrations(tables)).toThrow(message)
    await expect(migrateMysql(client, tables)).rejects.toThrow(message)
  })
})

describe('createStatements when the server has rolled back a statement', () => {
  it.each([
    ['a deadlock', driverError(1213)],
    ['a lock wait timeout', driverError(1205)],
    ['a record that has changed since it was read', driverError(1020)],
    ['an error around one', new Error('outer', { cause: driverError(1213) })],
  ])('repeats it after %s', async (_, error) => {
    for (const expectedVersion of [0, 1]) {
      const client = failing(error, 3)
      const given = createMysqlStore(client).records.put(key, { body: utf8('x') }, expectedVersion)
      expect(await given).toBe(true)
      expect(client.texts).toHaveLength(4)
    }
  })

  it('rejects with 503 after ten attempts', async () => {
    const client = failing(driverError(1213, 'ER_LOCK_DEADLOCK'))
    const given = createMysqlStore(client).records.put(key, { body: utf8('x') }, 1)
    await expect(given).rejects.toMatchObject({
      status: 503,
      cause: { message: 'Error ER_LOCK_DEADLOCK' },
    })
    expect(client.texts).toHaveLength(10)
  })
})

describe('createStatements when a statement may have been executed', () => {
  it.each([
    [1062, 'ER_DUP_ENTRY', 500],
    [1064, 'ER_PARSE_ERROR', 500],
    [1180, 'ER_ERROR_DURING_COMMIT', 500],
    [1406, 'ER_DATA_TOO_LONG', 500],
    [1045, 'ER_ACCESS_DENIED_ERROR', 500],
    [45016, 'ER_MISSING_PARAMETER', 500],
    [undefined, 'ERR_INVALID_ARG_TYPE', 500],
    [1040, 'ER_CON_COUNT_ERROR', 503],
    [1053, 'ER_SERVER_SHUTDOWN', 503],
    [1290, 'ER_OPTION_PREVENTS_STATEMENT', 503],
    [1317, 'ER_QUERY_INTERRUPTED', 503],
    [1927, 'ER_CONNECTION_KILLED', 503],
    [1969, 'ER_STATEMENT_TIMEOUT', 503],
    [3024, 'ER_QUERY_TIMEOUT', 503],
    [45009, 'ER_SOCKET_UNEXPECTED_CLOSE', 503],
    [45028, 'ER_GET_CONNECTION_TIMEOUT', 503],
    [-111, 'ECONNREFUSED', 503],
    [-104, 'ECONNRESET', 503],
    [undefined, 'PROTOCOL_CONNECTION_LOST', 503],
  ])('does not repeat it after %s %s, and rejects with %i', async (errno, code, status) => {
    const error = driverError(errno, code)
    for (const thrown of [error, new Error('outer', { cause: error })]) {
      const client = failing(thrown)
      const given = createMysqlStore(client).records.put(key, { body: utf8('x') }, 1)
      await expect(given).rejects.toMatchObject({ status, cause: { message: `Error ${code}` } })
      expect(client.texts).toHaveLength(1)
    }
  })

  it.each([
    ['Pool is closed.', 503],
    ["Can't add new command when connection is in closed state", 503],
    ['Bind parameters must not contain undefined', 500],
  ])(
    'rejects with the status of the message %j when there is no code: %i',
    async (message, status) => {
      const given = createMysqlStore(failing(new Error(message))).records.get(key)
      await expect(given).rejects.toMatchObject({ status })
    },
  )

  it.each([
    [1046, 'no database is selected: set the option database'],
    [1049, 'the database does not exist: create it first'],
    [1146, 'the tables do not exist: run migrateMysql first'],
  ])('rejects after %i with the hint: %s', async (errno, hint) => {
    const given = createMysqlStore(failing(driverError(errno))).records.get(key)
    await expect(given).rejects.toMatchObject({ code: 'STORAGE_FAILED', message: hint })
  })

  it.each([1153, 45046])('names max_allowed_packet after %i', async (errno) => {
    const given = createMysqlStore(failing(driverError(errno))).records.put(
      key,
      { body: utf8('x') },
      1,
    )
    await expect(given).rejects.toMatchObject({ status: 500, message: /max_allowed_packet/ })
  })

  it('returns false for an existing key only when a row is inserted', async () => {
    const { records } = createMysqlStore(failing(driverError(1062)))
    expect(await records.put(key, { body: utf8('x') }, 0)).toBe(false)
    await expect(records.put(key, { body: utf8('x') }, 1)).rejects.toThrow(StorageError)
  })

  it.each([
    ['a text', 'hunter2'],
    ['nothing', undefined],
    ['an object that cannot be looked into', new Proxy({}, { get: () => fail() })],
  ])('rejects with a StorageError when %s is thrown', async (_, thrown) => {
    const given = createMysqlStore(failing(thrown)).records.get(key)
    await expect(given).rejects.toMatchObject({ status: 500, message: 'the database failed' })
  })

  it('keeps only the name and the code of the driver’s error', async () => {
    const error = new Error('outer hunter2', { cause: driverError(1064, 'ER_PARSE_ERROR') })
    const given = await createMysqlStore(failing(error))
      .records.get(key)
      .catch((thrown: unknown) => thrown)
    const members = (value: unknown): string =>
      JSON.stringify(value, Object.getOwnPropertyNames(Object(value)))
    const { cause } = given as Error
    expect(`${String(given)} ${members(given)} ${members(cause)}`).not.toMatch(/hunter2|outer/)
    expect(String(cause)).toBe('Error: Error ER_PARSE_ERROR')
  })
})

describe('migrateMysql', () => {
  it('only reads when the tables are current', async () => {
    const client = answering(() => [{ version: 1, count: 1 }])
    await migrateMysql(client)
    expect(client.texts.map((text) => text.split(' ', 2).join(' '))).toEqual([
      'SELECT count(*)',
      'SELECT coalesce(max(version),',
    ])
  })

  it('repeats a statement when another process was creating the same table', async () => {
    const client = answering((attempt) => {
      if (attempt === 1) return [{ count: 0 }]
      if (attempt === 2) throw driverError(1050)
      return attempt === 3 ? { affectedRows: 0 } : [{ version: 1 }]
    })
    await migrateMysql(client)
    expect(client.texts).toHaveLength(5)
  })
})

describe('mysqlMigrations', () => {
  it('returns statements that need no lock and no transaction, and can run again', () => {
    const migrations = mysqlMigrations({ database: 'vaults', tablePrefix: 'of_' })
    expect(migrations.map(({ name }) => name)).toEqual(['of_001_tables'])
    const statements = migrations.flatMap((migration) => migration.statements)
    expect(statements).toHaveLength(5)
    for (const statement of statements)
      expect(statement).toMatch(/^(?:CREATE TABLE IF NOT EXISTS|INSERT IGNORE INTO) `vaults`\.`of_/)
    expect(statements.join('\n')).not.toMatch(/;|collate|charset|text|auto_increment|trigger/i)
  })
})

function fail(): never {
  throw new Error('looked into')
}
