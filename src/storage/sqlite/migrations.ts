/** Creates the tables of the store, and migrates those of an older version. */

import { StorageError } from '../../errors.js'
import { getInteger } from '../sql/row.js'
import type { SqliteDatabase } from './connection.js'

/** The statements of each version of the schema. The first element creates version 1. */
export type Migrations = readonly (readonly string[])[]

/**
 * The migrations of the store. The tables have rowids, which were measured to be faster. Strings
 * are compared by their UTF-8 bytes, the default of SQLite. A blob without `chunks` is incomplete.
 * The key of a blob is never reused, so a reader cannot get chunks of another blob.
 */
export const schemaMigrations: Migrations = [
  [
    `create table cofferkit_schema (
  version integer not null
) strict`,
    'insert into cofferkit_schema (version) values (1)',
    `create table cofferkit_records (
  collection text not null,
  id text not null,
  version integer not null,
  index_key text,
  body blob not null
) strict`,
    'create unique index cofferkit_records_id on cofferkit_records (collection, id)',
    `create index cofferkit_records_index_key on cofferkit_records (collection, index_key, id)
  where index_key is not null`,
    `create table cofferkit_blobs (
  key integer primary key autoincrement,
  id text not null,
  chunks integer
) strict`,
    'create index cofferkit_blobs_id on cofferkit_blobs (id)',
    'create unique index cofferkit_blobs_complete on cofferkit_blobs (id) where chunks is not null',
    `create table cofferkit_chunks (
  blob integer not null,
  n integer not null,
  bytes blob not null
) strict`,
    'create unique index cofferkit_chunks_n on cofferkit_chunks (blob, n)',
  ],
]

/**
 * Migrates the database to the last version of `migrations`, in one transaction. Does nothing if it
 * has that version.
 * @throws StorageError (`STORAGE_FAILED`) if the database has a newer version. Errors of the driver
 * are thrown unchanged.
 */
export function migrate(database: SqliteDatabase, migrations = schemaMigrations): void {
  if (readSchemaVersion(database, migrations.length) === migrations.length) return
  database.exec('begin immediate')
  try {
    // Read again: another process can have migrated in between.
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
    throw new StorageError(`the database has the newer schema version ${version}`)
  return version
}

function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('rollback')
  } catch {}
}
