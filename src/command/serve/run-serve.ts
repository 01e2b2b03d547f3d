/** Serves a vault over HTTP until a signal stops the process. */

import { createMemoryActivityLog } from '../../activity.js'
import { createNodeListener } from '../../adapters/node.js'
import { createToken, createTokenAuthenticator, hashToken } from '../../auth/tokens.js'
import { connectDialect } from '../../dialects/connect.js'
import { bearerAuth, createHttpHandler, type HttpHandler } from '../../http.js'
import { createCaller, createVaultService } from '../../index.js'
import { CommandError, describeError } from '../command-error.js'
import { type CommandLine, print, printNote } from '../command-line.js'
import { readSeed } from '../read-seed.js'
import { runChild } from '../run-child.js'
import { type CommandStore, openCommandStore } from '../store/open-command-store.js'
import type { StoreFlags } from '../store/store-flags.js'
import { packageVersion } from '../version.js'
import { ensureVaults } from './first-vaults.js'
import { type ListeningServer, listen } from './listen.js'
import { type LoggedRequest, withRequestLog } from './request-log.js'
import { formatScreen, type ServeState } from './screen.js'

/** The flags of `serve`. */
export interface ServeFlags extends StoreFlags {
  readonly port?: number
  readonly host: string
  readonly token?: string
  readonly dialect: 'connect' | 'contract'
  readonly seed?: string
  readonly extensions: boolean
  readonly page: boolean
  readonly pageEdit: boolean
  readonly json: boolean
}

/** The shortest token for a server that other machines can reach. */
const minPublicTokenLength = 20
const maxVersions = 10
const defaultPort = 8080

/**
 * Serves until SIGINT or SIGTERM, or until the command has ended. Then it answers the open requests
 * and closes the store.
 */
export async function serve(
  this: CommandLine,
  flags: ServeFlags,
  ...command: string[]
): Promise<void> {
  checkCommand(this, command)
  const stopped = command.length === 0 ? waitForSignal(this) : undefined
  const givenToken = flags.token ?? this.process.env['COFFERKIT_TOKEN']
  if (givenToken !== undefined) checkToken(givenToken, flags.host)
  const seed = flags.seed === undefined ? undefined : await readSeed(this.process.cwd(), flags.seed)
  const opened = await openCommandStore(this, flags, 'create')
  try {
    await serveStore(this, flags, opened, { givenToken, seed, command, stopped })
  } finally {
    await opened.close()
  }
}

async function serveStore(
  line: CommandLine,
  flags: ServeFlags,
  opened: CommandStore,
  { givenToken, seed, command, stopped }: ServeInput,
): Promise<void> {
  const { dialect, extensions } = flags
  const service = createVaultService({
    store: opened.store,
    activity: createMemoryActivityLog(),
    history: { maxVersions },
    ...(dialect === 'connect' && { dialect: connectDialect }),
  })
  const first = await ensureVaults(service, createCaller('cofferkit', '*'), {
    seed,
    file: flags.seed,
    // Nothing would say that the command has seen other vaults.
    isRequired: command.length > 0,
  })
  const token = givenToken ?? (await createToken()).token
  const tokens = [{ id: 'cofferkit', sha256: await hashToken(token), vaults: '*' }] as const
  const handler = createHttpHandler(service, {
    authenticate: bearerAuth(createTokenAuthenticator({ tokens })),
    extensions,
    onError: (error) => printNote(line, describeError(error)),
  })
  const hasPage = flags.page || flags.pageEdit
  const mounted = hasPage ? await addPage(handler, flags.pageEdit) : handler
  // The output is that of the command.
  const write = (text: string): void => void (command.length === 0 && print(line, text))
  const logged = withRequestLog(mounted, (request) => write(formatRequest(request, flags)))
  const port = flags.port ?? (command.length === 0 ? defaultPort : 0)
  const server = await listen(createNodeListener(logged), flags.host, port)
  const tokenOfUser = flags.token === undefined ? 'environment' : 'flag'
  const state: ServeState = {
    version: packageVersion(),
    origin: server.origin,
    isOnEveryAddress: server.isOnEveryAddress,
    store: opened.description,
    isEncrypted: opened.encrypted !== undefined,
    dialect,
    token: givenToken === undefined ? token : undefined,
    tokenSource: givenToken === undefined ? 'generated' : tokenOfUser,
    vaults: first.vaults,
    seed: first.seed,
    pageUrl: hasPage ? `${server.origin}/ui` : undefined,
  }
  write(flags.json ? JSON.stringify({ event: 'listening', ...state }) : formatScreen(state))
  try {
    await stopped
    if (command.length > 0) {
      const address = { OP_CONNECT_HOST: server.origin, OP_CONNECT_TOKEN: token }
      const env = { ...line.process.env, ...address }
      line.process.exitCode = await runChild(line, command, env)
    }
  } finally {
    await stop(server, () => service.close())
  }
  write(flags.json ? JSON.stringify({ event: 'stopped' }) : 'Stopped.')
}

interface ServeInput {
  readonly givenToken: string | undefined
  readonly seed: Awaited<ReturnType<typeof readSeed>> | undefined
  /** Empty to serve until a signal. */
  readonly command: readonly string[]
  /** Resolves on a signal; undefined with a command, which gets the signals. */
  readonly stopped: Promise<void> | undefined
}

async function addPage(handler: HttpHandler, canEdit: boolean): Promise<HttpHandler> {
  const { createPage } = await import('../../page.js')
  return createPage(handler, { readOnly: !canEdit })
}

async function stop(server: ListeningServer, close: () => Promise<void>): Promise<void> {
  await server.stop()
  await close()
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

function formatRequest(request: LoggedRequest, { json }: ServeFlags): string {
  const time = new Date().toISOString()
  if (json) return JSON.stringify({ event: 'request', time, ...request })
  const { method, path, status, ms, requestId } = request
  return `${time} ${method} ${path} ${status} ${ms.toFixed(1)} ms ${requestId}`
}
