/** The drivers of SQLite by name. */

import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import type { SqliteDriver } from 'cofferkit/sqlite'

/** The folder that installs each driver, below the one in which programs are started. */
const folders: ReadonlyMap<string, string> = new Map([
  ['better-sqlite3', '.'],
  ['libsql', 'test/integrations'],
])

/** The names of the drivers that are installed. */
export const installedDrivers: readonly string[] = ['node:sqlite', ...folders.keys()].filter(
  (name) => {
    try {
      loadDriver(name)
      return true
    } catch {
      return false
    }
  },
)

/** Returns the class of the driver. @throws Error if it does not exist or is not installed. */
export function loadDriver(name: string): SqliteDriver {
  if (name === 'node:sqlite') return process.getBuiltinModule(name).DatabaseSync
  return createRequire(resolve(folders.get(name) ?? '', 'package.json'))(name)
}
