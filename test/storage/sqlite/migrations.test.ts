import { describe, expect, it } from 'vitest'
import { getInteger } from '../../../src/storage/sql/row.js'
import { type Migrations, schemaMigrations } from '../../../src/storage/sql/sqlite-schema.js'
import { migrate } from '../../../src/storage/sqlite/migrations.js'
import { createSqliteStore, sqliteMigrations } from '../../../src/storage/sqlite.js'
import { createDatabasePath, drivers, type OpenDatabase } from '../../support/stores/sqlite.js'

const key = { collection: 'c', id: 'a' }
const body = Uint8Array.of(1, 2, 3)
const next: Migrations = [
  ...schemaMigrations,
  [
    "alter table cofferkit_records add column origin text default 'new'",
    'update cofferkit_schema set version = 2',
  ],
]
const newer = {
  code: 'STORAGE_FAILED',
  message: 'the database was migrated by a newer cofferkit (schema 2): upgrade cofferkit',
}

function readSchemaVersion(database: OpenDatabase): unknown {
  return database.prepare('select version from cofferkit_schema').get()
}

describe.each(Object.entries(drivers))('migrate on %s', (_, open) => {
  it('creates the tables on first use, with their version', () => {
    const database = open(createDatabasePath())
    createSqliteStore(database)
    expect(readSchemaVersion(database)).toMatchObject({ version: 1 })
  })

  it('migrates an older version, and keeps the data', async () => {
    const database = open(createDatabasePath())
    const { records } = createSqliteStore(database)
    await records.put(key, { body }, 0)
    migrate(database, next)
    expect(readSchemaVersion(database)).toMatchObject({ version: 2 })
    expect(await records.get(key)).toEqual({ version: 1, body })
    expect(database.prepare('select origin from cofferkit_records').get()).toMatchObject({
      origin: 'new',
    })
  })

  it('changes nothing when the version is current', () => {
    const database = open(createDatabasePath())
    migrate(database, next)
    const countChanges = (): number =>
      getInteger(database.prepare('select total_changes() as changes').get(), 'changes')
    const before = countChanges()
    migrate(database, next)
    expect(countChanges()).toBe(before)
  })

  it('rolls back when a statement fails', async () => {
    const database = open(createDatabasePath())
    const { records } = createSqliteStore(database)
    const broken: Migrations = [...schemaMigrations, ['drop table cofferkit_records', 'nonsense']]
    expect(() => migrate(database, broken)).toThrow()
    expect(readSchemaVersion(database)).toMatchObject({ version: 1 })
    expect(await records.put(key, { body }, 0)).toBe(true)
  })

  it('rejects a newer version, and leaves the database unchanged', () => {
    const path = createDatabasePath()
    migrate(open(path), next)
    const database = open(path)
    expect(() => createSqliteStore(database)).toThrow(expect.objectContaining(newer))
    expect(readSchemaVersion(database)).toMatchObject({ version: 2 })
  })

  it('creates nothing when the statements of sqliteMigrations were run', async () => {
    const database = open(createDatabasePath())
    const migrations = sqliteMigrations()
    expect(migrations.map(({ name }) => name)).toEqual(['cofferkit_001_tables'])
    for (const { statements } of migrations)
      for (const statement of statements) database.exec(statement)
    const { records } = createSqliteStore(database)
    expect(await records.put(key, { body }, 0)).toBe(true)
  })
})
