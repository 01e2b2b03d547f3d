/** The command `serve`: its flags and its help. */

import { buildCommand } from '@stricli/core'
import { CommandError } from './command-error.js'
import type { CommandLine } from './command-line.js'
import type { ServeFlags } from './serve/run-serve.js'
import { storeFlags } from './store/store-flags.js'

/** Serves a vault over HTTP. */
export const serveCommand = buildCommand<ServeFlags, string[], CommandLine>({
  loader: async () => (await import('./serve/run-serve.js')).serve,
  parameters: {
    flags: {
      ...storeFlags,
      port: {
        kind: 'parsed',
        parse: parsePort,
        optional: true,
        brief: 'The port, 8080 if absent; 0, or a command, for any free one',
      },
      host: {
        kind: 'parsed',
        parse: String,
        default: '127.0.0.1',
        brief: 'The address to listen on',
      },
      token: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'The token of clients; $COFFERKIT_TOKEN or a new one if absent',
      },
      dialect: {
        kind: 'enum',
        values: ['connect', 'contract'],
        default: 'connect',
        brief: 'connect for published clients, contract for the strict rules',
      },
      seed: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Begin with the vaults and items of this JSON file',
        placeholder: 'FILE',
      },
      extensions: {
        kind: 'boolean',
        default: true,
        brief: 'Serve uploads, vaults and versions, which Connect does not',
      },
      page: {
        kind: 'boolean',
        default: false,
        withNegated: false,
        brief: 'Show the vaults on a page, /ui, which asks for the token',
      },
      pageEdit: {
        kind: 'boolean',
        default: false,
        withNegated: false,
        brief: 'Allow changes on the page',
      },
      json: {
        kind: 'boolean',
        default: false,
        withNegated: false,
        brief: 'Print one JSON object per line',
      },
    },
    positional: {
      kind: 'array',
      parameter: {
        brief: 'A command to run meanwhile, after --',
        placeholder: 'COMMAND',
        parse: String,
      },
    },
  },
  docs: {
    customUsage: [
      '',
      '--store memory --seed seed.json --port 0',
      '--store sqlite:team.db --encrypt team.key --token TOKEN',
      '--store memory --seed seed.json -- COMMAND [ARGUMENTS]',
    ],
    brief: 'Serve a vault over HTTP, as a local stand-in for 1Password Connect',
    fullDescription: [
      'Serves a vault over HTTP until Ctrl+C, as a local stand-in for 1Password Connect.',
      '',
      'Without flags it keeps everything in cofferkit.db in the current folder, listens on port',
      '8080 of this machine only, and generates a token. An empty store gets a vault named',
      'Default. Each request is logged in one line, without values and tokens.',
      '',
      'Stores: memory, sqlite:PATH, postgres://…, mysql://…, etcd:http://HOST:2379, ./my-store.js.',
      'postgres: needs the package pg in the current project, mysql: needs mysql2. Their tables',
      'are created at the start. A module such as ./my-store.js exports a store as its default.',
      '--seed is used only if the store has no vaults.',
      '',
      'With a command, the server runs as long as the command does, which finds it through',
      'OP_CONNECT_HOST and OP_CONNECT_TOKEN. Nothing is printed but the output of the command, and',
      'its exit code is returned.',
    ].join('\n'),
  },
})

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port < 0 || port > 65_535) throw new CommandError('--port: must be a number from 0 to 65535')
  return port
}
