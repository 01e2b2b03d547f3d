/** Reads seed files, whose errors name the file. */

import { isVaultError } from '../index.js'
import type { Seed } from '../testing.js'
import { CommandError } from './command-error.js'
import { parseUserJson, readUserText } from './read-user-file.js'

/**
 * Reads a seed file.
 * @throws CommandError if it cannot be read, is not JSON, or is not a seed.
 */
export async function readSeed(folder: string, path: string): Promise<Seed> {
  const value = parseUserJson(await readUserText(folder, path), path)
  const { parseSeed } = await import('../testing.js')
  return inSeed(path, async () => parseSeed(value))
}

/** Calls `work`, and puts the name of the seed file before an error that its content causes. */
export async function inSeed<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isVaultError(error) || !['INVALID_INPUT', 'CONFLICT'].includes(error.code)) throw error
    throw new CommandError(`${path}: ${error.message}`)
  }
}
