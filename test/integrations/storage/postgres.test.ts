import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStoredActivityLog } from '../../../src/activity.js'
import { StorageError } from '../../../src/errors.js'
import {
  type ActivityLog,
  createCaller,
  createVaultService,
  type VaultStore,
} from '../../../src/index.js'
import { createSealer, type Place } from '../../../src/seal.js'
import {
  createPostgresStore,
  migratePostgres,
  type PostgresClient,
  type PostgresMigrationOptions,
  type PreparedStatement,
  postgresMigrations,
} from '../../../src/storage/postgres.js'
import { blobStoreContract, recordStoreContract } from '../../../src/testing.js'
import { readBytes, streamOf, utf8 } from '../../support/bytes.js'
import { createKeys } from '../../support/stores/encrypted-stores.js'
import { createStoreOnTables, createTables, openPGlite } from '../support/stores/postgres.js'

const database = openPGlite()

// PGlite takes long to start when other tests run at the same time.
beforeAll(() => database.waitReady, 120_000)
const key = { collection: 'c', id: 'a' }
const tableNames = `SELECT table_schema || '.' || table_name AS name
  FROM information_schema.tables WHERE table_name LIKE $1 ORDER BY name`

afterAll(() => database.close())

async function tablesLike(pattern: string): Promise<unknown[]> {
  const { rows } = await database.query<{ name: string }>(tableNames, [pattern])
  return rows.map(({ name }) => name)
}

describe('createPostgresStore', () => {
  it.each(recordStoreContract)('records: $name', async ({ run }) =>
    run((await createStoreOnTables(database)).records),
  )
  it.each(blobStoreContract)('blobs: $name', async ({ run }) =>
    run((await createStoreOnTables(database)).blobs),
  )

  it('returns plain Uint8Arrays, whose toString does not print their text', async () => {
    const { records } = await createStoreOnTables(database)
    await records.put(key, { body: utf8('secret') }, 0)
    const body = (await records.get(key))?.body
    expect(body?.constructor).toBe(Uint8Array)
    expect(String(body)).not.toContain('secret')
  })

  it('accepts versions that the driver returns as strings or bigints', async () => {
    const tables = await createTables(database)
    for (const convert of [String, BigInt]) {
      const client: PostgresClient = {
        async query(text, values) {
          const { rows } = await database.query<Record<string, unknown>>(text, values)
          return { rows: rows.map((row) => ({ ...row, version: convert(Number(row['version'])) })) }
        },
      }
      const { records } = createPostgresStore(client, tables)
      await records.put(key, { body: utf8('x') }, 0)
      expect((await records.get(key))?.version).toBe(1)
    }
  })

  it.each([
    ['a version of -1', { version: -1, body: new Uint8Array(0) }],
    ['a version of 1.5', { version: 1.5, body: new Uint8Array(0) }],
    ['no version', { body: new Uint8Array(0) }],
    ['bytes as a string', { version: 1, body: '\\x00' }],
    ['no row', undefined],
  ])('rejects with a StorageError when the client returns %s', async (_, row) => {
    const { records } = createPostgresStore({ query: async () => ({ rows: [row] }) })
    await expect(records.list('c', { limit: 1 })).rejects.toThrow(StorageError)
  })

  it.each([
    ['', 'tablePrefix'],
    ['1a', 'tablePrefix'],
    ['a-b', 'tablePrefix'],
    ['a"; DROP TABLE x; --', 'tablePrefix'],
    ['a.b', 'schema'],
    ['ä', 'schema'],
    ['a\n', 'schema'],
    ['a'.repeat(64), 'schema'],
    ['a'.repeat(41), 'tablePrefix'],
  ])('throws a TypeError for %j as %s', async (name, option) => {
    const tables = { [option]: name }
    const message = new RegExp(`^options\\.${option} must be`)
    expect(() => createPostgresStore(database, tables)).toThrow(TypeError)
    expect(() => postgresMigrations(tables)).toThrow(message)
    await expect(migratePostgres(database, tables)).rejects.toThrow(message)
  })
})

describe('migratePostgres', () => {
  it('creates the tables in the given schema with the given prefix', async () => {
    await database.query('CREATE SCHEMA "Vaults"')
    const tables = { schema: 'Vaults', tablePrefix: 'Of_' }
    await migratePostgres(database, tables)
    expect(await tablesLike('Of%')).toEqual([
      'Vaults.Of_blobs',
      'Vaults.Of_chunks',
      'Vaults.Of_migrations',
      'Vaults.Of_records',
    ])
    const { records } = createPostgresStore(database, tables)
    expect(await records.put(key, { body: utf8('x') }, 0)).toBe(true)
  })

  it('uses the prefix cofferkit_ when none is given', async () => {
    await migratePostgres(database)
    const { records } = createPostgresStore(database)
    expect(await records.put(key, { body: utf8('x') }, 0)).toBe(true)
    expect(await tablesLike('cofferkit%')).toHaveLength(4)
  })

  it('accepts names of the maximum length', async () => {
    const tables = { schema: 's'.repeat(63), tablePrefix: 'p'.repeat(40) }
    await database.query(`CREATE SCHEMA ${tables.schema}`)
    await migratePostgres(database, tables)
    const { records } = createPostgresStore(database, tables)
    expect(await records.put(key, { body: utf8('x') }, 0)).toBe(true)
  })

  it('changes nothing when the tables exist, and runs only the necessary statements', async () => {
    const tables = await createTables(database)
    const { records } = createPostgresStore(database, tables)
    await records.put(key, { body: utf8('x') }, 0)
    const statements: string[] = []
    await migratePostgres(
      {
        query(text, values) {
          statements.push(text)
          return database.query(text, values)
        },
      },
      tables,
    )
    expect((await records.get(key))?.version).toBe(1)
    expect(statements.filter((text) => !/^(?:SELECT|CREATE TABLE IF NOT)/.test(text))).toEqual([])
  })

  it('continues when it was interrupted', async () => {
    const tables = { tablePrefix: 'interrupted_' }
    for (let last = 1; ; last++) {
      let left = last
      const failing: PostgresClient = {
        query: (text, values) =>
          left-- > 0 ? database.query(text, values) : Promise.reject(new Error('cut off')),
      }
      const isDone = await migratePostgres(failing, tables).then(
        () => true,
        () => false,
      )
      if (isDone) break
    }
    const { records } = createPostgresStore(database, tables)
    expect(await records.put(key, { body: utf8('x') }, 0)).toBe(true)
  })

  it('rejects when the tables were created by a newer version of the library', async () => {
    const tables = await createTables(database)
    await database.query(`INSERT INTO ${tables.tablePrefix}migrations (version) VALUES (99)`)
    await expect(migratePostgres(database, tables)).rejects.toThrow('newer cofferkit')
  })

  it('omits COLLATE when the server is CockroachDB', async () => {
    const statements: string[] = []
    await migratePostgres({
      async query(text) {
        statements.push(text)
        const name = 'CockroachDB CCL v25.2.1 (x86_64-pc-linux-gnu)'
        return { rows: [{ name, version: '0', count: '0' }] }
      },
    })
    expect(statements.join()).not.toContain('COLLATE')
    const created = statementsOf({ engine: 'cockroachdb' }).slice(0, 4)
    expect(statements).toEqual(expect.arrayContaining(created))
  })
})

const statementsOf = (options?: PostgresMigrationOptions): readonly string[] =>
  postgresMigrations(options).flatMap(({ statements }) => statements)

describe('postgresMigrations', () => {
  it('returns statements that create the schema and the tables, and that can run again', async () => {
    const tables = { schema: 'by_hand', tablePrefix: 'by_hand_' }
    for (const statement of [...statementsOf(tables), ...statementsOf(tables)])
      await database.query(statement)
    const { records } = createPostgresStore(database, tables)
    expect(await records.put(key, { body: utf8('x') }, 0)).toBe(true)
    const asked: string[] = []
    const query: PostgresClient['query'] = (text, values) => {
      asked.push(text)
      return database.query(text, values)
    }
    await migratePostgres({ query }, tables)
    // The tables have the current version.
    expect(asked.filter((text) => !text.startsWith('SELECT'))).toEqual([])
    expect((await records.get(key))?.version).toBe(1)
  })

  it('returns the table of records alone, to which the others can be added later', async () => {
    const tables = { tablePrefix: 'alone_' }
    for (const statement of statementsOf({ ...tables, recordsOnly: true }))
      await database.query(statement)
    expect(await tablesLike('alone%')).toEqual(['public.alone_records'])
    const sealer = createSealer(createPostgresStore(database, tables).records, {
      keys: createKeys(),
    })
    const place: Place = ['integrations', 'token', 1]
    const sealed = (await sealer.box('acme')).seal(place, 'secret')
    await migratePostgres(database, tables)
    expect(await tablesLike('alone%')).toHaveLength(4)
    expect((await sealer.box('acme')).open(place, sealed)).toBe('secret')
  })

  it('gives each migration a name, in alphabetical order', () => {
    const names = ['v_001_schema', 'v_002_records', 'v_003_blobs', 'v_004_version']
    const tables = { tablePrefix: 'v_' }
    const nameOf = ({ name }: { readonly name: string }) => name
    expect(postgresMigrations({ ...tables, schema: 'v' }).map(nameOf)).toEqual(names)
    expect(postgresMigrations(tables).map(nameOf)).toEqual(names.slice(1))
  })

  it('returns only SQL that distributed databases support', () => {
    const statements = statementsOf().join('\n')
    expect(statements).not.toMatch(
      /jsonb|serial|sequence|identity|trigger|advisory|savepoint|for update|default|check|;/i,
    )
  })
})

describe('migratePostgres in a schema that does not exist', () => {
  const tables = { schema: 'nix' }

  it('creates the schema', async () => {
    await migratePostgres(database, tables)
    const { records } = createPostgresStore(database, tables)
    expect(await records.put(key, { body: utf8('x') }, 0)).toBe(true)
  })
})

describe('createPostgresStore on tables that do not exist', () => {
  const missing = { message: 'the tables do not exist: run migratePostgres first' }
  const create = (activity?: (store: VaultStore) => ActivityLog) => {
    const store = createPostgresStore(database, { tablePrefix: 'missing_' })
    return createVaultService({ store, ...(activity && { activity: activity(store) }) })
  }
  const caller = createCaller({ id: 'wendy', vaults: '*' })

  it('rejects every call with an error that tells to migrate', async () => {
    await expect(create().listVaults(caller)).rejects.toMatchObject(missing)
    await expect(create().checkHealth()).rejects.toMatchObject(missing)
  })

  it.each([
    ['a stored activity log', (store: VaultStore) => createStoredActivityLog(store)],
    [
      'a stored activity log with an age',
      (store: VaultStore) => createStoredActivityLog(store, { maxAgeMs: 3_600_000 }),
    ],
  ])('keeps that error as the cause with %s', async (_, activity) => {
    const service = create(activity)
    for (const call of [
      service.createVault(caller, { name: 'Home' }),
      service.listVaults(caller),
      service.getVault(undefined, { vaultId: 'x' }),
    ])
      await expect(call).rejects.toMatchObject({
        code: 'ACTIVITY_UNAVAILABLE',
        cause: { ...missing, code: 'STORAGE_FAILED', cause: { message: /42P01/ } },
      })
  })
})

describe('createPostgresStore with prepare', () => {
  it('names each statement by its text, and no two the same', async () => {
    const named = new Map<string, Set<string>>()
    const client = {
      query(statement: string | PreparedStatement, values?: unknown[]) {
        if (typeof statement === 'string') return database.query(statement, values)
        const { name, text } = statement
        named.set(name, (named.get(name) ?? new Set()).add(text))
        return database.query(text, statement.values)
      },
    }
    const tables = await createTables(client)
    const { records, blobs } = createPostgresStore(client, { ...tables, prepare: true })
    await records.put(key, { body: utf8('x'), indexKey: 'k' }, 0)
    await records.put(key, { body: utf8('y') }, 1)
    await records.get(key)
    await records.list('c', { limit: 1 })
    await records.list('c', { indexKey: 'k', limit: 1 })
    await records.delete(key, 2)
    await blobs.write('v/a', streamOf([utf8('x')]))
    await expect(blobs.write('v/a', streamOf([utf8('x')]))).rejects.toThrow('already exists')
    expect(await readBytes((await blobs.read('v/a')) ?? streamOf([]))).toEqual(utf8('x'))
    await blobs.delete('v/a')
    // Two chunks, which are read one by one.
    await blobs.write('v/b', streamOf([new Uint8Array(600_000)]))
    expect(await readBytes((await blobs.read('v/b')) ?? streamOf([]))).toHaveLength(600_000)
    expect([...named.values()].map(({ size }) => size)).toEqual(Array(named.size).fill(1))
    expect([...named.keys()].every((name) => /^cofferkit_[0-9a-f]{1,16}$/.test(name))).toBe(true)
    expect(named.size).toBe(14)
  })

  it('names no statement when prepare is false or absent', async () => {
    const texts: unknown[] = []
    const client = {
      query(statement: string | PreparedStatement, values?: unknown[]) {
        texts.push(statement)
        return database.query(typeof statement === 'string' ? statement : statement.text, values)
      },
    }
    const tables = await createTables(client)
    for (const options of [tables, { ...tables, prepare: false }])
      await createPostgresStore(client, options).records.get(key)
    expect(texts.every((text) => typeof text === 'string')).toBe(true)
  })

  it('accepts prepare only for a client that can prepare statements', () => {
    // @ts-expect-error PGlite does not accept a named statement.
    expect(() => createPostgresStore(database, { prepare: true })).not.toThrow()
  })
})
