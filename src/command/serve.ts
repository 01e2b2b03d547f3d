/** The command `serve`: serves a vault over HTTP. */

import { buildCommand } from '@stricli/core'
import { CommandError } from './command-error.js'
import type { CommandLine } from './command-line.js'
import { switchFlag, textFlag } from './flags.js'
import { readSeed } from './read-seed.js'
import type { ServeFlags } from './serve/serve-store.js'
import { openCommandStore } from './store/open-command-store.js'
import { storeFlags } from './store/store-flags.js'

/** Serves a vault over HTTP. */
export const serveCommand = buildCommand<ServeFlags, string[], CommandLine>({
  func: serve,
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
      seed: textFlag('FILE', 'Begin with the vaults and items of this JSON file'),
      extensions: {
        kind: 'boolean',
        default: true,
        brief: 'Serve uploads, vaults and versions, which Connect does not',
      },
      page: switchFlag('Show the vaults on a page, /ui, which asks for the token'),
      pageEdit: switchFlag('Allow changes on the page'),
      json: switchFlag('Print one JSON object per line'),
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

/** The shortest token for a server that other machines can reach. */
const minPublicTokenLength = 20

/**
 * Serves until SIGINT or SIGTERM, or until the command has ended. Then it answers the open requests
 * and closes the store.
 */
async function serve(this: CommandLine, flags: ServeFlags, ...command: string[]): Promise<void> {
  checkCommand(this, command)
  const stopped = command.length === 0 ? waitForSignal(this) : undefined
  const givenToken = flags.token ?? this.process.env['COFFERKIT_TOKEN']
  if (givenToken !== undefined) checkToken(givenToken, flags.host)
  const seed = flags.seed === undefined ? undefined : await readSeed(this.process.cwd(), flags.seed)
  const opened = await openCommandStore(this, flags, 'create')
  try {
    const { serveStore } = await import('./serve/serve-store.js')
    await serveStore(this, flags, opened, { givenToken, seed, command, stopped })
  } finally {
    await opened.close()
  }
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port < 0 || port > 65_535) throw new CommandError('--port: must be a number from 0 to 65535')
  return port
}

/** A second signal ends the process at once, because the listeners are removed by then. */
function waitForSignal({ process }: CommandLine): Promise<void> {
  return new Promise((resolve) => {
    const onSignal = (): void => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, onSignal)
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal)
  })
}

/**
 * @throws CommandError if the command does not follow `--`: it may have been meant as the value of a
 * flag.
 */
function checkCommand({ process: { argv } }: CommandLine, command: readonly string[]): void {
  const escape = argv.indexOf('--')
  const escaped = escape < 0 ? 0 : argv.length - escape - 1
  if (command.length !== escaped)
    throw new CommandError('too many arguments: none is expected, except for a command after --')
}

/** @throws CommandError if no client can send the token, or if it is too short for a network. */
function checkToken(token: string, host: string): void {
  if (!/^[\w.~+/-]+=*$/.test(token))
    throw new CommandError(
      'a token must consist of letters, digits and - . _ ~ + / with = at its end',
      'Leave --token out to have one generated.',
    )
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host)
  if (!isLocal && token.length < minPublicTokenLength)
    throw new CommandError(
      `on ${host} other machines can reach the server, so a token needs ${minPublicTokenLength} characters`,
      'Leave --token out to have one generated, or pass a longer one: cofferkit token prints one.',
    )
}
