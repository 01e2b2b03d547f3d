/** Serves an open store over HTTP until a signal stops the process. */

import { createMemoryActivityLog } from '../../activity.js'
import { createNodeListener } from '../../adapters/node.js'
import { createToken, createTokenAuthenticator, hashToken } from '../../auth/tokens.js'
import { connectDialect } from '../../dialects/connect.js'
import { bearerAuth, createHttpHandler, type HttpHandler } from '../../http.js'
import { createCaller, createVaultService } from '../../index.js'
import type { Seed } from '../../testing.js'
import { describeError } from '../command-error.js'
import { type CommandLine, packageVersion, print, printNote } from '../command-line.js'
import { runChild } from '../run-child.js'
import { type CommandStore, isPlaintext } from '../store/open-command-store.js'
import type { StoreFlags } from '../store/store-flags.js'
import { createCallerOfExistingVaults } from './existing-vaults.js'
import { ensureVaults } from './first-vaults.js'
import { type ListeningServer, listen } from './listen.js'
import { formatRequest, withRequestLog } from './request-log.js'
import { formatScreen, type ServeState } from './screen.js'
import type { ServerFlags } from './server-flags.js'

/** The flags of `serve`. */
export interface ServeFlags extends StoreFlags, ServerFlags {
  readonly dialect: 'connect' | 'contract'
  readonly seed?: string
  readonly extensions: boolean
  readonly page: boolean
  readonly pageEdit: boolean
  readonly json: boolean
}

const maxVersions = 10
const defaultPort = 8080

/** Everything that {@link serveStore} needs besides the flags. */
export interface ServeInput {
  readonly givenToken: string | undefined
  readonly seed: Seed | undefined
  /** Empty to serve until a signal. */
  readonly command: readonly string[]
  /** Resolves on a signal; undefined with a command, which gets the signals. */
  readonly stopped: Promise<void> | undefined
}

/** Serves a store until the signal, or until the command has ended. */
export async function serveStore(
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
    // Otherwise the command would see other vaults without notice.
    isRequired: command.length > 0,
  })
  const token = givenToken ?? (await createToken()).token
  const tokens = [{ id: 'cofferkit', sha256: await hashToken(token), vaults: '*' }] as const
  const authenticate = createTokenAuthenticator({ tokens })
  const unrecorded = createVaultService({ store: opened.store })
  const caller = createCallerOfExistingVaults('cofferkit', unrecorded)
  const handler = createHttpHandler(service, {
    authenticate: bearerAuth(async (given) => {
      await authenticate(given)
      return caller
    }),
    extensions,
    onError: (error, _, requestId) =>
      printNote(line, `request ${requestId}: ${describeError(error)}`),
  })
  const hasPage = flags.page || flags.pageEdit
  const mounted = hasPage ? await addPage(handler, flags.pageEdit) : handler
  // With a command, the output is left to it.
  const write = (text: string): void => void (command.length === 0 && print(line, text))
  const logged = withRequestLog(mounted, (request) => write(formatRequest(request, flags.json)))
  const port = flags.port ?? (command.length === 0 ? defaultPort : 0)
  const server = await listen(createNodeListener(logged), flags.host, port)
  const tokenOfUser = flags.token === undefined ? 'environment' : 'flag'
  const state: ServeState = {
    version: packageVersion(),
    origin: server.origin,
    isOnEveryAddress: server.isOnEveryAddress,
    store: opened.description,
    isPlaintext: isPlaintext(opened),
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
      line.process.exitCode = await runChild(line, command, address)
    }
  } finally {
    await stop(server, () => service.close())
  }
  write(flags.json ? JSON.stringify({ event: 'stopped' }) : 'Stopped.')
}

async function addPage(handler: HttpHandler, canEdit: boolean): Promise<HttpHandler> {
  const { createPage } = await import('../../page.js')
  return createPage(handler, { readOnly: !canEdit })
}

async function stop(server: ListeningServer, close: () => Promise<void>): Promise<void> {
  await server.stop()
  await close()
}
