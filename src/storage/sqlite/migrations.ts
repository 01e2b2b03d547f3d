/** Creates the tables of the store, and migrates those of an older version. */

import { StorageError } from '../../errors.js'
import { getInteger } from '../sql/row.js'
import { type Migrations, schemaMigrations } from '../sql/sqlite-schema.js'
import type { SqliteDatabase } from './connection.js'

/**
 * Migrates the database to the last version of `migrations`, in one transaction. Does nothing if it
 * already has that version.
 * @throws StorageError (`STORAGE_FAILED`) if the database has a newer version. Errors of the driver
 * are thrown unchanged.
 */
export function migrate(database: SqliteDatabase, migrations: Migrations = schemaMigrations): void {
  if (readSchemaVersion(database, migrations.length) === migrations.length) return
  database.exec('begin immediate')
  try {
    // Read again, because another process may have migrated in between.
    for (const step of migrations.slice(readSchemaVersion(database, migrations.length)))
      for (const statement of step) database.exec(statement)
    database.exec('commit')
  } catch (error) {
    rollBack(database)
    throw error
  }
}

/** Returns 0 if the tables do not exist. */
function readSchemaVersion(database: SqliteDatabase, newest: number): number {
  const tables = `select count(*) as count from sqlite_schema
    where type = 'table' and name = 'cofferkit_schema'`
  if (getInteger(database.prepare(tables).get(), 'count') === 0) return 0
  const version = getInteger(
    database.prepare('select version from cofferkit_schema').get(),
    'version',
  )
  if (version > newest)
    throw new StorageError(
      `the database was migrated by a newer cofferkit (schema ${version}): upgrade cofferkit`,
    )
  return version
}

function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('rollback')
  } catch {}
}
