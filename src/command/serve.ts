/** The command `serve`: serves a vault over HTTP. */

import { buildCommand } from '@stricli/core'
import { CommandError } from './command-error.js'
import type { CommandLine } from './command-line.js'
import { switchFlag, textFlag } from './flags.js'
import { readSeed } from './read-seed.js'
import type { ServeFlags } from './serve/serve-store.js'
import { findToken, serverFlags, waitForSignal } from './serve/server-flags.js'
import { openCommandStore } from './store/open-command-store.js'
import { storeFlags } from './store/store-flags.js'

/** Serves a vault over HTTP. */
export const serveCommand = buildCommand<ServeFlags, string[], CommandLine>({
  func: serve,
  parameters: {
    flags: {
      ...storeFlags,
      ...serverFlags(8080, '; 0, or a command, for any free one'),
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

/**
 * Serves until SIGINT or SIGTERM, or until the command has ended. Then it answers the open requests
 * and closes the store.
 */
async function serve(this: CommandLine, flags: ServeFlags, ...command: string[]): Promise<void> {
  checkCommand(this, command)
  const stopped = command.length === 0 ? waitForSignal(this) : undefined
  const givenToken = findToken(this, flags)
  const seed = flags.seed === undefined ? undefined : await readSeed(this.process.cwd(), flags.seed)
  const opened = await openCommandStore(this, flags, 'create')
  try {
    const { serveStore } = await import('./serve/serve-store.js')
    await serveStore(this, flags, opened, { givenToken, seed, command, stopped })
  } finally {
    await opened.close()
  }
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
