/** The commands `init`, `token`, `keygen` and `completion`: their flags and their help. */

import { buildCommand } from '@stricli/core'
import type { CommandLine } from './command-line.js'
import type { Framework } from './setup/templates.js'

/** Writes a first service into the current project. */
export const initCommand = buildCommand<
  { readonly out: string },
  [framework?: Framework],
  CommandLine
>({
  loader: async () => (await import('./setup/run-init.js')).init,
  parameters: {
    flags: {
      out: {
        kind: 'parsed',
        parse: String,
        default: 'vault.mjs',
        placeholder: 'FILE',
        brief: 'The file to write, which must not exist',
      },
    },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'express, fastify, hono or node; the one of package.json if absent',
          placeholder: 'FRAMEWORK',
          parse: String,
          optional: true,
        },
      ],
    },
  },
  docs: {
    brief: 'Write a first service for express, fastify, hono or node into this project',
    fullDescription: [
      'Writes one file, vault.mjs, that runs a vault with your framework, a SQLite file and a',
      'token. Nothing is overwritten and nothing is installed: it prints what to run.',
    ].join('\n'),
  },
})

/** Creates a token. */
export const tokenCommand = buildCommand<{ readonly json: boolean }, [], CommandLine>({
  loader: async () => (await import('./setup/run-token.js')).token,
  parameters: {
    flags: {
      json: { kind: 'boolean', default: false, withNegated: false, brief: 'Print JSON' },
    },
  },
  docs: {
    brief: 'Create a token, and the SHA-256 of it for createTokenAuthenticator',
    fullDescription: [
      'Prints a token of 256 random bits, which the client gets, and its SHA-256, which belongs',
      'into the configuration of the service. The token is stored nowhere.',
    ].join('\n'),
  },
})

/** Creates a key file. */
export const keygenCommand = buildCommand<object, [file: string], CommandLine>({
  loader: async () => (await import('./setup/run-keygen.js')).keygen,
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

/** Prints a script for the completion of a shell. */
export const completionCommand = buildCommand<object, [shell: 'bash' | 'zsh'], CommandLine>({
  loader: async () => (await import('./setup/run-completion.js')).completion,
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'bash or zsh', placeholder: 'SHELL', parse: String }],
    },
  },
  docs: {
    brief: 'Print a script that completes commands and flags in bash or zsh',
    fullDescription: [
      'For bash, add this line to ~/.bashrc, and for zsh the same with zsh to ~/.zshrc:',
      '',
      '  source <(cofferkit completion bash)',
    ].join('\n'),
  },
})
