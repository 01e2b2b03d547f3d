/** Reads files that a user has named, and what they contain. */

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { decodeUtf8 } from '../base/decode-utf8.js'
import { parseJson } from '../base/parse-json.js'
import { CommandError } from './command-error.js'
import { findJsonError } from './find-json-error.js'

/** Reads a file. @throws CommandError if it cannot be read. */
export async function readUserFile(folder: string, path: string): Promise<Buffer> {
  try {
    return await readFile(resolve(folder, path))
  } catch (error) {
    throw new CommandError(`${path} ${describeReadError(error)}`)
  }
}

/**
 * Reads a file of text.
 * @throws CommandError if it cannot be read, or if it is not text in UTF-8.
 */
export async function readUserText(folder: string, path: string): Promise<string> {
  return decodeUserText(await readUserFile(folder, path), path)
}

/**
 * Returns text in UTF-8 without its byte order mark.
 * @param name - What contains the text, for errors.
 * @throws CommandError if the bytes are not UTF-8, or have a NUL, as UTF-16 has. No character is
 * replaced, because two different secrets would then become the same one.
 */
export function decodeUserText(bytes: Uint8Array, name: string): string {
  const text = decodeUtf8(bytes)
  if (text === undefined || text.includes('\0'))
    throw new CommandError(`${name} is not text in UTF-8`, 'Save it with the encoding UTF-8.')
  return text.replace(/^\uFEFF/, '')
}

/**
 * Returns the value of JSON.
 * @param name - What contains the text, for errors.
 * @throws CommandError with the place of the mistake, and with no part of the text.
 */
export function parseUserJson(text: string, name: string): unknown {
  const value = parseJson(text)
  if (value !== undefined) return value
  const { line, column } = findJsonError(text)
  throw new CommandError(`${name} is not JSON: line ${line}, column ${column}`)
}

/** Returns why a file could not be read, as the end of a sentence. */
export function describeReadError(error: unknown): string {
  const { code = 'unknown' } = Object(error)
  return code === 'ENOENT' ? 'does not exist' : `cannot be read: ${code}`
}
