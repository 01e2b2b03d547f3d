/** The command `read`: prints the value of a secret reference. */

import { buildCommand } from '@stricli/core'
import type { CommandLine } from './command-line.js'
import { type StoreFlags, storeFlags } from './store/store-flags.js'
import { secretSource, withResolver } from './with-resolver.js'

/** Prints the value of a reference. */
export const readCommand = buildCommand<
  StoreFlags & { readonly newline: boolean },
  [reference: string],
  CommandLine
>({
  func: read,
  parameters: {
    flags: {
      ...storeFlags,
      newline: { kind: 'boolean', default: true, brief: 'End the value with a line break' },
    },
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'Such as op://Team/Database/password', placeholder: 'REFERENCE', parse: String },
      ],
    },
  },
  docs: {
    brief: 'Print the value of a secret reference, op://vault/item/field',
    fullDescription: [
      'Prints the value of one field, or the text of a file.',
      '',
      ...secretSource,
    ].join('\n'),
  },
})

/** Resolves one reference, and writes its value to the standard output. */
async function read(
  this: CommandLine,
  flags: StoreFlags & { readonly newline: boolean },
  reference: string,
): Promise<void> {
  const value = await withResolver(this, flags, (resolver) => resolver.resolve(reference))
  this.process.stdout.write(flags.newline ? `${value}\n` : value)
}
