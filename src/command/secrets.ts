/** The commands `read`, `inject` and `run`: their flags and their help. */

import { buildCommand } from '@stricli/core'
import type { CommandLine } from './command-line.js'
import { type StoreFlags, storeFlags } from './store/store-flags.js'

const source = [
  'Secrets are read from the server of $OP_CONNECT_HOST with $OP_CONNECT_TOKEN, which can also be',
  'a 1Password Connect; or from a store, with --store, or if the variables are not set.',
]

/** Prints the value of a reference. */
export const readCommand = buildCommand<
  StoreFlags & { readonly newline: boolean },
  [reference: string],
  CommandLine
>({
  loader: async () => (await import('./secrets/run-read.js')).read,
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
    fullDescription: ['Prints the value of one field, or the text of a file.', '', ...source].join(
      '\n',
    ),
  },
})

/** Fills a template. */
export const injectCommand = buildCommand<
  StoreFlags & { readonly out?: string },
  [template: string],
  CommandLine
>({
  loader: async () => (await import('./secrets/run-inject.js')).inject,
  parameters: {
    flags: {
      ...storeFlags,
      out: {
        kind: 'parsed',
        parse: String,
        optional: true,
        placeholder: 'FILE',
        brief: 'A file to create with mode 0600; the standard output if absent',
      },
    },
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'The template; - for the standard input', placeholder: 'FILE', parse: String },
      ],
    },
  },
  docs: {
    brief: 'Replace each {{ op://vault/item/field }} of a template by its value',
    fullDescription: ['Prints a template with the values of its references.', '', ...source].join(
      '\n',
    ),
  },
})

/** Runs a command with secrets in its environment. */
export const runCommand = buildCommand<StoreFlags, string[], CommandLine>({
  loader: async () => (await import('./secrets/run-run.js')).run,
  parameters: {
    flags: storeFlags,
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: { brief: 'The command, after --', placeholder: 'COMMAND', parse: String },
    },
  },
  docs: {
    customUsage: ['-- COMMAND [ARGUMENTS]'],
    brief: 'Run a command with the references in its environment resolved',
    fullDescription: [
      'Replaces each environment variable that begins with op:// by its value and runs the',
      'command with them. Signals are passed on, and its exit code is returned.',
      '',
      '  PGPASSWORD=op://Team/Database/password cofferkit run -- psql',
      '',
      ...source,
    ].join('\n'),
  },
})
