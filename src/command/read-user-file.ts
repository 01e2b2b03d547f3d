/** Reads files that a user has named. */

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CommandError } from './command-error.js'

/** Reads a file. @throws CommandError if it cannot be read. */
export async function readUserFile(folder: string, path: string): Promise<Buffer> {
  try {
    return await readFile(resolve(folder, path))
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'does not exist' : `cannot be read: ${code}`
    throw new CommandError(`${path} ${reason}`)
  }
}
