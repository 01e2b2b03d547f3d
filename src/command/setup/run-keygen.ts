/** Creates a key file. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { createKeyFile } from '../../storage/encrypted.js'
import { CommandError } from '../command-error.js'
import { type CommandLine, print } from '../command-line.js'

/** Creates a key file, and never overwrites one. */
export async function keygen(this: CommandLine, _flags: object, file: string): Promise<void> {
  const path = resolve(this.process.cwd(), file)
  if (existsSync(path))
    throw new CommandError(`${file} exists already`, 'A key file is never overwritten.')
  await createKeyFile(path)
  print(this, `${file} was created. Keep a copy of it apart from the store.`)
}
