/** Checks the path of a SQLite file before it is opened. */

import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { CommandError } from '../command-error.js'

/** The first bytes of every SQLite file (https://sqlite.org/fileformat.html, section 1.3). */
const header = Buffer.from('SQLite format 3\0')

/**
 * @param name - The path as the user has written it.
 * @throws CommandError if the folder of a new file does not exist, or if the file cannot be read or
 * is another one. An empty file is a database without tables.
 */
export function checkSqliteFile(name: string, folder: string): void {
  const path = resolve(folder, name)
  if (!existsSync(path)) {
    if (!existsSync(dirname(path)))
      throw new CommandError(`the folder ${dirname(name)} does not exist`)
    return
  }
  const start = readStart(path, name)
  if (start.length > 0 && !start.equals(header))
    throw new CommandError(`${name} is not a SQLite file`, 'Name another one with --store.')
}

function readStart(path: string, name: string): Buffer {
  const bytes = Buffer.alloc(header.length)
  try {
    const file = openSync(path, 'r')
    try {
      return bytes.subarray(0, readSync(file, bytes))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    const { code = 'unknown' } = Object(error)
    throw new CommandError(`${name} cannot be read: ${code}`)
  }
}
