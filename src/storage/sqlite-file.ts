/** Makes a database's file, and those beside it, its owner's alone. */

import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import { memberOf } from '../errors.js'

const ownersAlone = 0o600

/**
 * Creates the file if there is none, and takes everybody else's rights from it and from the files of its write-ahead
 * log, which SQLite gives the rights of the database. An existing file is never opened here: closing it would end the
 * locks that another connection of this process holds on it.
 */
export function keepPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', ownersAlone))
  } catch (error) {
    if (memberOf(error, 'code') !== 'EEXIST') throw error
  }
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode
    if (mode !== undefined && (mode & 0o077) !== 0) chmodSync(file, ownersAlone)
  }
}
