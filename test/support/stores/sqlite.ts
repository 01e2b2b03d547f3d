/** SQLite in files of temporary folders, opened with each driver. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import type { SqliteDatabase } from '../../../src/storage/sqlite.js'

/** An open database. */
export interface OpenDatabase extends SqliteDatabase {
  close(): unknown
}

/** The drivers by name. A database is closed when its test ends, if it is still open then. */
export const drivers: Readonly<Record<string, (path: string) => OpenDatabase>> = {
  'node:sqlite': (path) => closedLater(new DatabaseSync(path)),
  'better-sqlite3': (path) => closedLater(new Database(path)),
}

/** A path in a new folder that is removed when the test ends. Nothing is there yet. */
export function newDatabasePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'vault.db')
}

/** A database of node:sqlite in a new file, or in the file at `path`. */
export function openNodeDatabase(path = newDatabasePath()): OpenDatabase {
  return closedLater(new DatabaseSync(path))
}

/** A database that writes down what it is told to run, such as `begin immediate`. */
export function watched<Watched extends SqliteDatabase>(
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

function closedLater(database: OpenDatabase): OpenDatabase {
  onTestFinished(() => {
    try {
      database.close()
    } catch {}
  })
  return database
}
