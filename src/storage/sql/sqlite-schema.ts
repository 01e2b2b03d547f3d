/** The tables of the SQLite stores, by version. */

/** The statements of each version of the schema. The first element creates version 1. */
export type Migrations = readonly (readonly string[])[]

/**
 * The migrations of the store. The tables have rowids, because that was measured to be faster.
 * Strings are compared by their UTF-8 bytes, the default of SQLite. A blob without `chunks` is
 * incomplete. The key of a blob is never reused, so a reader cannot get chunks of another blob.
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
