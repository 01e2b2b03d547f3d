/** Has the export of `node:sqlite` that programs use, and the driver better-sqlite3 behind it. */

import Database from 'better-sqlite3'
import type { SqliteDriver } from '../../../../src/storage/sqlite.js'

export const DatabaseSync: SqliteDriver = Database
