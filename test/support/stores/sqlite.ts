/** SQLite databases in temporary folders, with each driver. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import type { SqliteDatabase } from '../../../src/storage/sqlite.js'
import { loadIntegration, runAll } from '../run-all.js'

/** An open database. */
export interface OpenDatabase extends SqliteDatabase {
  close(): unknown
}

type OpenByName = Readonly<Record<string, (path: string) => OpenDatabase>>

/** The driver of Node, by its name. A database that is still open is closed when its test ends. */
const nodeDriver: OpenByName = {
  'node:sqlite': (path) => closeAfterTest(new DatabaseSync(path)),
}

/** The other drivers. Only `npm run test:all` installs libsql. */
const otherDrivers: OpenByName = {
  'better-sqlite3': (path) => closeAfterTest(new Database(path)),
  libsql: (path) => closeAfterTest(new (loadLibsql())(path)),
}

/** Every driver by its name, for tests that only `npm run test:all` runs. */
export const allDrivers: OpenByName = { ...nodeDriver, ...otherDrivers }

/** The drivers of this run: that of Node in `npm test`, the others in `npm run test:all`. */
export const drivers = runAll ? otherDrivers : nodeDriver

/**
 * Returns a path in a new folder, which is removed when the test ends. The file does not exist yet.
 */
export function createDatabasePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'vault.db')
}

/** Opens a database with node:sqlite, in a new file by default. */
export function openNodeDatabase(path = createDatabasePath()): OpenDatabase {
  return closeAfterTest(new DatabaseSync(path))
}

/** Records the statements that a database runs, such as `begin immediate`. */
export function recordStatements<Watched extends SqliteDatabase>(
  database: Watched,
): { readonly database: SqliteDatabase; readonly log: string[] } {
  const log: string[] = []
  const prepare: SqliteDatabase['prepare'] = (sql) => {
    const statement = database.prepare(sql)
    return {
      get: (...values) => statement.get(...values),
      all: (...values) => statement.all(...values),
      run: (...values) => {
        log.push(sql)
        return statement.run(...values)
      },
    }
  }
  return { database: { prepare, exec: (sql) => database.exec(sql) }, log }
}

/** libsql has the interface of better-sqlite3. */
export function loadLibsql(): typeof Database {
  return loadIntegration('libsql')
}

function closeAfterTest(database: OpenDatabase): OpenDatabase {
  onTestFinished(() => {
    try {
      database.close()
    } catch {}
  })
  return database
}
