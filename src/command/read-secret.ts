/** Reads secrets from the environment, or from files that the environment names. */

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CommandError } from './command-error.js'
import type { CommandLine } from './command-line.js'
import { decodeUserText, describeReadError } from './read-user-file.js'

/**
 * Returns the value of a variable, or the content of the file that the variable with the suffix
 * `_FILE` names, without white space at its end. Returns undefined if neither is set. An empty
 * variable counts as not set.
 * @throws CommandError if both are set, or if the file cannot be read, is empty, or is not UTF-8.
 */
export function readSecret({ process }: CommandLine, name: string): string | undefined {
  const fileName = `${name}_FILE`
  const { [name]: value = '', [fileName]: file = '' } = process.env
  if (value !== '' && file !== '')
    throw new CommandError(`${name} and ${fileName} exclude each other`, 'Unset one of them.')
  if (file === '') return value === '' ? undefined : value
  const text = readText(resolve(process.cwd(), file), fileName).trimEnd()
  if (text === '') throw new CommandError(`the file of ${fileName} is empty`)
  return text
}

function readText(path: string, name: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    throw new CommandError(`the file of ${name} ${describeReadError(error)}`)
  }
  return decodeUserText(bytes, `the file of ${name}`)
}
