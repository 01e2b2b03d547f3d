/** Creates the tables of the store, and migrates those of an older version. */

import { StorageError } from '../../errors.js'
import { getInteger } from '../sql/row.js'
import { schemaMigrations } from '../sql/sqlite-schema.js'
import type { Runner } from './client.js'

/**
 * Migrates the database to the newest version, in one transaction. Does nothing if it has it.
 * @throws StorageError (`STORAGE_FAILED`) if the database has a newer version.
 */
export async function migrate(runner: Runner): Promise<void> {
  const version = await readSchemaVersion(runner)
  const statements = schemaMigrations.slice(version).flat()
  if (statements.length === 0) return
  try {
    await runner.batch(...statements.map((sql) => [sql] as const))
  } catch (error) {
    // Another process has migrated in between.
    if ((await readSchemaVersion(runner)) < schemaMigrations.length) throw error
  }
}

/** Returns 0 if the tables do not exist. */
async function readSchemaVersion({ query }: Runner): Promise<number> {
  const [found] = await query(
    "select count(*) as count from sqlite_master where type = 'table' and name = 'cofferkit_schema'",
  )
  if (getInteger(found, 'count') === 0) return 0
  const [row] = await query('select version from cofferkit_schema')
  const version = getInteger(row, 'version')
  if (version > schemaMigrations.length)
    throw new StorageError(`the database has the newer schema version ${version}`)
  return version
}
