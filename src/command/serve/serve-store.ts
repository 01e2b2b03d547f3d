/** Serves an open store over HTTP until a signal stops the process. */

import { setTimeout } from 'node:timers/promises'
import { createMemoryActivityLog, createStoredActivityLog } from '../../activity.js'
import { createNodeListener } from '../../adapters/node.js'
import { createToken, createTokenAuthenticator, hashToken } from '../../auth/tokens.js'
import { connectDialect } from '../../dialects/connect.js'
import { bearerAuth, createHttpHandler, type HttpHandler, type ProbeCheck } from '../../http.js'
import {
  createCaller,
  createVaultService,
  type KnownCaller,
  StorageUnavailableError,
  type VaultService,
} from '../../index.js'
import type { Seed } from '../../testing.js'
import { type CommandLine, formatCount, packageVersion } from '../command-line.js'
import { runChild } from '../run-child.js'
import { type CommandStore, isPlaintext } from '../store/open-command-store.js'
import type { StoreFlags } from '../store/store-flags.js'
import { withClientAddress } from './client-address.js'
import { createCallerOfExistingVaults } from './existing-vaults.js'
import { ensureVaults } from './first-vaults.js'
import { listen } from './listen.js'
import { countKeyCalls, withProcessMetrics } from './process-metrics.js'
import { withRequestLog } from './request-log.js'
import { formatScreen, type ServeState } from './screen.js'
import type { ServerAddress, ServerFlags, ServerSignals } from './server-flags.js'
import type { ServerLog } from './server-log.js'
import { createServerLogin, type ServerLogin } from './server-login.js'
import { openTokenList, type TokenList } from './token-list.js'

/** The flags of `serve`. */
export interface ServeFlags extends StoreFlags, ServerFlags {
  readonly tokens?: string
  readonly dialect: 'connect' | 'contract'
  readonly seed?: string
  readonly extensions: boolean
  readonly page: boolean
  readonly pageEdit: boolean
  readonly activity: 'memory' | 'store'
  readonly history: number
  readonly metricsToken?: string
  readonly trustedProxy?: readonly string[]
  readonly rateLimit?: number
  readonly maxConnections?: number
  readonly shutdownDelay: number
}

/** Everything that {@link serveStore} needs besides the flags. */
export interface ServeInput {
  readonly address: ServerAddress
  /** The token of the flag or of the environment. */
  readonly givenToken: string | undefined
  /** The file of the flag `--tokens` or of the environment. */
  readonly tokensFile: string | undefined
  readonly metricsToken: string | undefined
  readonly maxInlineFileSizeKb: number | undefined
  readonly seed: Seed | undefined
  /** Empty to serve until a signal. */
  readonly command: readonly string[]
  /** Undefined with a command, which gets the signals. */
  readonly signals: ServerSignals | undefined
  readonly log: ServerLog
}

/** Serves a store until the signal, or until the command has ended. */
export async function serveStore(
  line: CommandLine,
  flags: ServeFlags,
  opened: CommandStore,
  input: ServeInput,
): Promise<void> {
  const { command, signals, log, tokensFile, maxInlineFileSizeKb } = input
  const { dialect, extensions } = flags
  const keyCalls = countKeyCalls()
  const service = createVaultService({
    store: opened.store,
    activity:
      flags.activity === 'store'
        ? createStoredActivityLog(opened.store)
        : createMemoryActivityLog(),
    history: { maxVersions: flags.history },
    onError: (error) => log.error(error),
    ...(maxInlineFileSizeKb !== undefined && { maxInlineFileSizeKb }),
    ...(dialect === 'connect' && { dialect: connectDialect }),
  })
  const first = await ensureVaults(service, createCaller({ id: 'cofferkit', vaults: '*' }), {
    seed: input.seed,
    file: flags.seed,
    // Otherwise the command would see other vaults without notice.
    isRequired: command.length > 0,
  })
  const isGenerated = tokensFile === undefined && input.givenToken === undefined
  const token = input.givenToken ?? (isGenerated ? (await createToken()).token : '')
  const tokens = await openTokens(line, opened, tokensFile ?? { token }, {
    log,
    endRequests: (ids) => login.endRequests(ids),
  })
  const login: ServerLogin = createServerLogin(tokens.authenticate, flags.rateLimit)
  signals?.onHangup(() => void tokens.reload())
  let isStopping = false
  const stoppingError = new StorageUnavailableError('the server is stopping')
  const api = createHttpHandler(service, {
    authenticate: (request) => login.authenticate(request),
    extensions,
    probes: {
      health() {
        if (isStopping) throw stoppingError
        return true
      },
      metrics: await checkOf(input.metricsToken),
    },
    onError(error, _, requestId) {
      if (error !== stoppingError) log.error(error, requestId)
    },
  })
  const hasPage = flags.page || flags.pageEdit
  const mounted = hasPage ? await addPage(api, flags.pageEdit) : api
  const measured = withProcessMetrics(mounted, {
    version: packageVersion(),
    store: opened.kind,
    pool: opened.pool,
    keyCalls,
    tokens: () => tokens.entries().length,
    connections: () => server.countConnections(),
  })
  const logged = withRequestLog(measured, (request) => log.request(request), {
    callerOf: (request) => login.callerOf(request),
  })
  const handler = withClientAddress(logged, flags.trustedProxy ?? [])
  const server = await listen(createNodeListener(handler), input.address, flags.maxConnections)
  const state: ServeState = {
    version: packageVersion(),
    origin: server.origin,
    isOnEveryAddress: server.isOnEveryAddress,
    store: opened.description,
    isPlaintext: isPlaintext(opened),
    dialect,
    tokenSource: findTokenSource(flags, input),
    tokensFile,
    callers: tokens.entries().map(({ id }) => id),
    activity: flags.activity,
    vaults: first.vaults,
    seed: first.seed,
    pageUrl: hasPage ? `${server.origin}/ui` : undefined,
  }
  log.event('listening', state, formatScreen(state, isGenerated ? token : undefined))
  try {
    await signals?.stopped
    if (command.length > 0) {
      const address = { OP_CONNECT_HOST: server.origin, OP_CONNECT_TOKEN: token }
      line.process.exitCode = await runChild(line, command, address)
    }
    isStopping = true
    // Until the load balancer has noticed, requests still arrive.
    if (command.length === 0) await setTimeout(flags.shutdownDelay * 1000)
  } finally {
    tokens.close()
    await server.stop()
    await service.close()
  }
  log.flush()
  log.event('stopped', {}, 'Stopped.')
}

/** Returns where the tokens are from. */
function findTokenSource(
  { token }: ServeFlags,
  { tokensFile, givenToken }: ServeInput,
): ServeState['tokenSource'] {
  if (tokensFile !== undefined) return 'file'
  if (givenToken === undefined) return 'generated'
  return token === undefined ? 'environment' : 'flag'
}

/** Where a token list reports what happens. */
interface TokenListOwner {
  readonly log: ServerLog
  endRequests(callerIds: ReadonlySet<string>): void
}

/** Returns the tokens of a file; or one token for everything, which never changes. */
async function openTokens(
  line: CommandLine,
  { store }: CommandStore,
  source: string | { readonly token: string },
  { log, endRequests }: TokenListOwner,
): Promise<TokenList> {
  const unrecorded = createVaultService({ store, onError() {} })
  if (typeof source !== 'string') {
    const sha256 = await hashToken(source.token)
    const entry = { id: 'cofferkit', sha256, vaults: '*' } as const
    const authenticate = createTokenAuthenticator({ tokens: [entry] })
    return {
      authenticate: async (token) => toServed(await authenticate(token), true, unrecorded),
      entries: () => [entry],
      reload: async () => {},
      close() {},
    }
  }
  const list = await openTokenList(line.process.cwd(), source, {
    onChange(entries, revoked) {
      endRequests(revoked)
      const ids = [...revoked]
      const end = ids.length === 0 ? '' : `; removed or changed: ${ids.join(', ')}`
      const text = `Read ${formatCount(entries.length, 'token')} from ${source}${end}.`
      log.event('tokens', { count: entries.length, revoked: ids }, text)
    },
    onProblem: (message) => log.warn(message),
  })
  const isOfAll = (id: string): boolean =>
    list.entries().some((entry) => entry.id === id && entry.vaults === '*')
  return {
    ...list,
    async authenticate(token) {
      const caller = await list.authenticate(token)
      return toServed(caller, isOfAll(caller.id), unrecorded)
    },
  }
}

/** Vaults that do not exist are out of scope of a token for every vault, as in Connect. */
function toServed(caller: KnownCaller, isOfAll: boolean, unrecorded: VaultService): KnownCaller {
  if (!isOfAll) return caller
  const { id, expiresAt } = caller
  return {
    ...createCallerOfExistingVaults(id, unrecorded),
    ...(expiresAt && { expiresAt }),
  }
}

/** Returns the access to the metrics: for everyone, or with a token. */
async function checkOf(token: string | undefined): Promise<boolean | ProbeCheck> {
  if (token === undefined) return true
  const tokens = [{ id: 'metrics', sha256: await hashToken(token), vaults: {} }]
  const authenticate = bearerAuth(createTokenAuthenticator({ tokens }))
  return async (request) => {
    await authenticate(request)
    return true
  }
}

async function addPage(handler: HttpHandler, canEdit: boolean): Promise<HttpHandler> {
  const { createPage } = await import('../../page.js')
  return createPage(handler, { readOnly: !canEdit })
}
