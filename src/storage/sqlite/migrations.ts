/** The tables of the store, and how a database of an older version gets them. */

import { StorageError } from '../../errors.js'
import { getInteger } from '../sql/row.js'
import type { SqliteDatabase } from './connection.js'

/** Statements that lead from one version of the schema to the next. The first element makes version 1 out of nothing. */
export type Migrations = readonly (readonly string[])[]

/**
 * Rowid tables, because they were measured to be faster. Texts compare by their UTF-8 bytes, SQLite's own order.
 * A blob without `chunks` is not whole; its key is never used again, so a reader cannot meet another's chunks.
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
  label text,
  body blob not null
) strict`,
    'create unique index cofferkit_records_place on cofferkit_records (collection, id)',
    `create index cofferkit_records_label on cofferkit_records (collection, label, id)
  where label is not null`,
    `create table cofferkit_blobs (
  key integer primary key autoincrement,
  id text not null,
  chunks integer
) strict`,
    'create index cofferkit_blobs_id on cofferkit_blobs (id)',
    'create unique index cofferkit_blobs_whole on cofferkit_blobs (id) where chunks is not null',
    `create table cofferkit_chunks (
  blob integer not null,
  place integer not null,
  bytes blob not null
) strict`,
    'create unique index cofferkit_chunks_place on cofferkit_chunks (blob, place)',
  ],
]

/**
 * Brings the database to the last version of `migrations`, in one transaction; does nothing to one that is there.
 * @throws StorageError if it is of a newer version.
 */
export function migrate(database: SqliteDatabase, migrations = schemaMigrations): void {
  if (versionOf(database, migrations.length) === migrations.length) return
  database.exec('begin immediate')
  try {
    // Another process may have been faster.
    for (const step of migrations.slice(versionOf(database, migrations.length)))
      for (const statement of step) database.exec(statement)
    database.exec('commit')
  } catch (error) {
    rollBack(database)
    throw error
  }
}

/** 0 if there is no schema yet. */
function versionOf(database: SqliteDatabase, newest: number): number {
  const tables = `select count(*) as count from sqlite_schema
    where type = 'table' and name = 'cofferkit_schema'`
  if (getInteger(database.prepare(tables).get(), 'count') === 0) return 0
  const version = getInteger(
    database.prepare('select version from cofferkit_schema').get(),
    'version',
  )
  if (version > newest)
    throw new StorageError(`the database has version ${version} of the schema, which is newer`)
  return version
}

function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('rollback')
  } catch {}
}
