/** Reads files that a user has named. */

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseSeed, type Seed } from '../seed.js'
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

/**
 * Reads a seed file.
 * @throws CommandError if it cannot be read or is not JSON, InvalidInputError if it is not a seed.
 */
export async function readSeed(folder: string, path: string): Promise<Seed> {
  const text = (await readUserFile(folder, path)).toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // The message of JSON.parse quotes its input.
    throw new CommandError(`${path} is not JSON`)
  }
  return parseSeed(value)
}
