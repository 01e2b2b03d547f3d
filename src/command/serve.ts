/** The command `serve`: serves a vault over HTTP. */

import { buildCommand } from '@stricli/core'
import { CommandError, exitCodeOf } from './command-error.js'
import type { CommandLine } from './command-line.js'
import { numberParser, switchFlag, textFlag } from './flags.js'
import { readSecret } from './read-secret.js'
import { readSeed } from './read-seed.js'
import type { ServeFlags } from './serve/serve-store.js'
import {
  assertSendable,
  findAddress,
  findToken,
  listenToSignals,
  refuseGeneratedToken,
  serverFlags,
} from './serve/server-flags.js'
import type { ServerLog } from './serve/server-log.js'
import { openCommandStore } from './store/open-command-store.js'
import { storeFlags } from './store/store-flags.js'

const defaultPort = 8080

/** Serves a vault over HTTP. */
export const serveCommand = buildCommand<ServeFlags, string[], CommandLine>({
  func: serve,
  parameters: {
    flags: {
      ...storeFlags,
      ...serverFlags(defaultPort, '; 0, or a command, for any free one'),
      tokens: textFlag('FILE', 'The file with a token for each caller; see cofferkit token'),
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
      activity: {
        kind: 'enum',
        values: ['memory', 'store'],
        default: 'memory',
        brief: 'Where the activity log is kept',
      },
      history: {
        kind: 'parsed',
        parse: numberParser('history', 0),
        default: '10',
        placeholder: 'NUMBER',
        brief: 'How many versions of an item are kept',
      },
      metricsToken: textFlag('TOKEN', 'Require this token for /metrics'),
      trustedProxy: {
        kind: 'parsed',
        parse: String,
        optional: true,
        variadic: ',',
        placeholder: 'ADDRESS',
        brief: 'Take the address of clients from X-Forwarded-For of these proxies or networks',
      },
      rateLimit: {
        kind: 'parsed',
        parse: numberParser('rate-limit', 1),
        optional: true,
        placeholder: 'NUMBER',
        brief: 'Requests a minute of each caller',
      },
      maxConnections: {
        kind: 'parsed',
        parse: numberParser('max-connections', 1),
        optional: true,
        placeholder: 'NUMBER',
        brief: 'Connections at a time',
      },
      shutdownDelay: {
        kind: 'parsed',
        parse: numberParser('shutdown-delay', 0, 3_600),
        default: '0',
        placeholder: 'SECONDS',
        brief: 'After SIGTERM, keep serving for this time while /health returns 503',
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
      '--store sqlite:team.db --encrypt team.key --tokens tokens.json --activity store',
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
      'With --tokens it is a server for several programs: each has its own token, which is revoked',
      'without a restart. SIGHUP reads the file again.',
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
  const { createServerLog } = await import('./serve/server-log.js')
  const log = createServerLog(this, { isJson: flags.json, isQuiet: command.length > 0 })
  try {
    await serveWith(this, flags, command, log)
  } catch (error) {
    if (!flags.json) throw error
    log.error(error)
    this.process.exitCode = exitCodeOf(error)
  }
}

async function serveWith(
  line: CommandLine,
  flags: ServeFlags,
  command: readonly string[],
  log: ServerLog,
): Promise<void> {
  const signals = command.length === 0 ? listenToSignals(line) : undefined
  const address = findAddress(line, flags, command.length === 0 ? defaultPort : 0)
  const tokensFile = findTokensFile(line, flags, command)
  const givenToken =
    tokensFile === undefined ? findToken(line, flags.token, address.host) : undefined
  const isGenerated = tokensFile === undefined && givenToken === undefined
  if (isGenerated && flags.json && command.length === 0) refuseGeneratedToken()
  const metricsToken = flags.metricsToken ?? readSecret(line, 'COFFERKIT_METRICS_TOKEN')
  if (metricsToken !== undefined) assertSendable(metricsToken)
  const seed = flags.seed === undefined ? undefined : await readSeed(line.process.cwd(), flags.seed)
  const maxInlineFileSizeKb = findInlineLimit(line)
  const opened = await openCommandStore(line, flags, 'create')
  try {
    const { serveStore } = await import('./serve/serve-store.js')
    const tokens = { givenToken, tokensFile, metricsToken }
    const input = { ...tokens, address, maxInlineFileSizeKb, seed, command, signals, log }
    await serveStore(line, flags, opened, input)
  } finally {
    await opened.close()
  }
}

/**
 * Returns the token file of the flag or of the environment.
 * @throws CommandError if there is also one token for everything, or a command that needs one.
 */
function findTokensFile(
  { process: { env } }: CommandLine,
  { tokens, token }: ServeFlags,
  command: readonly string[],
): string | undefined {
  const { COFFERKIT_TOKENS_FILE: ofEnvironment = '' } = env
  const file = tokens ?? (ofEnvironment === '' ? undefined : ofEnvironment)
  if (file === undefined) return undefined
  const name = tokens === undefined ? 'COFFERKIT_TOKENS_FILE' : '--tokens'
  const others = [
    ...(token === undefined ? [] : ['--token']),
    ...['COFFERKIT_TOKEN', 'COFFERKIT_TOKEN_FILE'].filter((other) => (env[other] ?? '') !== ''),
  ]
  if (others[0] !== undefined)
    throw new CommandError(
      `${name} and ${others[0]} exclude each other: a server has a token for each caller, or one for everything`,
    )
  if (command.length > 0)
    throw new CommandError(`${name} cannot be used with a command, which gets one token`)
  return file
}

/** The names of the variable for the size, that of the published service first. */
const inlineLimitNames = ['MAX_INLINE_FILE_SIZE_KB', 'COFFERKIT_MAX_INLINE_FILE_SIZE_KB']

/** @throws CommandError if the variable is not a number, or if two have different values. */
function findInlineLimit({ process: { env } }: CommandLine): number | undefined {
  const given = inlineLimitNames.filter((name) => (env[name] ?? '') !== '')
  const [value, other = value] = given.map((name) => env[name])
  if (value === undefined) return undefined
  if (value !== other) throw new CommandError(`${given.join(' and ')} have different values`)
  if (!/^\d{1,9}$/.test(value))
    throw new CommandError(`${given[0]}: must be a number of kibibytes, 0 or more`)
  return Number(value)
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
