/** The command `inject`: fills a template with the values of its references. */

import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { buildCommand } from '@stricli/core'
import { CommandError } from './command-error.js'
import type { CommandLine } from './command-line.js'
import { textFlag } from './flags.js'
import { decodeUserText, readUserText } from './read-user-file.js'
import { type StoreFlags, storeFlags } from './store/store-flags.js'
import { secretSource, withResolver } from './with-resolver.js'

/** Fills a template. */
export const injectCommand = buildCommand<
  StoreFlags & { readonly out?: string },
  [template: string],
  CommandLine
>({
  func: inject,
  parameters: {
    flags: {
      ...storeFlags,
      out: textFlag('FILE', 'A file to create with mode 0600; default: the standard output'),
    },
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'The template; - for the standard input', placeholder: 'FILE', parse: String },
      ],
    },
  },
  docs: {
    brief: 'Replace each {{ op://vault/item/field }} in a template with its value',
    fullDescription: [
      'Prints a template with the values of its references.',
      '',
      ...secretSource,
    ].join('\n'),
  },
})

/** Reads a template, and writes the result to the standard output or a new file. */
async function inject(
  this: CommandLine,
  flags: StoreFlags & { readonly out?: string },
  file: string,
): Promise<void> {
  const folder = this.process.cwd()
  const template =
    file === '-'
      ? decodeUserText(await buffer(this.process.stdin), 'the standard input')
      : await readUserText(folder, file)
  const result = await withResolver(this, flags, (resolver) => resolver.inject(template))
  if (flags.out === undefined) {
    this.process.stdout.write(result)
    return
  }
  try {
    writeFileSync(resolve(folder, flags.out), result, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const { code = 'unknown' } = Object(error)
    if (code === 'EEXIST')
      throw new CommandError(`${flags.out} already exists`, 'Name another file with --out.')
    throw new CommandError(`${flags.out} cannot be written: ${code}`)
  }
}
