/** The command `keygen`: creates a key file. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildCommand } from '@stricli/core'
import { CommandError } from './command-error.js'
import { type CommandLine, print } from './command-line.js'

/** Creates a key file. */
export const keygenCommand = buildCommand<object, [file: string], CommandLine>({
  func: keygen,
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'The key file to create', placeholder: 'FILE', parse: String }],
    },
  },
  docs: {
    brief: 'Create a key file for --encrypt',
    fullDescription: [
      'Creates a file of mode 0600 with 256 random bits in hexadecimal digits. Keep a copy of it',
      'apart from the store: without the key, nothing in the store can be read.',
    ].join('\n'),
  },
})

/** Creates a key file, and never overwrites one. */
async function keygen(this: CommandLine, _flags: object, file: string): Promise<void> {
  const path = resolve(this.process.cwd(), file)
  if (existsSync(path))
    throw new CommandError(`${file} already exists`, 'A key file is never overwritten.')
  const { createKeyFile } = await import('../storage/encrypted.js')
  await createKeyFile(path)
  print(this, `${file} was created. Keep a copy of it apart from the store.`)
}
