/** Serves a relay over HTTP until a signal stops the process. */

import { createStoredActivityLog } from '../../activity.js'
import { createNodeListener, createPublicFetch } from '../../adapters/node.js'
import {
  createToken,
  createTokenAuthenticator,
  hashToken,
  type StaticToken,
} from '../../auth/tokens.js'
import { isObject } from '../../base/is-object.js'
import { connectDialect } from '../../dialects/connect.js'
import { bearerAuth, type HttpHandler, type HttpRequest } from '../../http.js'
import {
  type Caller,
  createCaller,
  createVaultService,
  type ItemRef,
  type KnownCaller,
  type VaultService,
  type VaultStore,
} from '../../index.js'
import {
  createTokenKeeper,
  type FoundGrantItem,
  type TokenKeeper,
  type TokenKeeperOptions,
  vaultGrants,
} from '../../oauth.js'
import {
  createSecretFetch,
  createSecretRelay,
  type SecretFetchOptions,
  type SecretRelayOptions,
  type SecretSource,
  vaultSecrets,
} from '../../use.js'
import { CommandError } from '../command-error.js'
import { packageVersion } from '../command-line.js'
import { listen } from '../serve/listen.js'
import { withRequestLog } from '../serve/request-log.js'
import {
  refuseGeneratedToken,
  type ServerAddress,
  type ServerFlags,
} from '../serve/server-flags.js'
import type { ServerLog } from '../serve/server-log.js'
import type { CommandStore } from '../store/open-command-store.js'
import type { StoreFlags } from '../store/store-flags.js'

/** The flags of `relay`. */
export interface RelayFlags extends StoreFlags, ServerFlags {}

/** The member `relay` of a configuration. */
interface RelayConfig
  extends Omit<SecretRelayOptions, 'authenticate' | 'fetch'>,
    Pick<SecretFetchOptions, 'allow' | 'placesOf' | 'sign' | 'retryRejected' | 'allowShortValues'> {
  /** Default: the token of the command, which can use the items of all vaults. */
  readonly tokens?: readonly StaticToken[]
  /**
   * Refreshes the access tokens of references with `?attribute=access_token`, as for
   * `createTokenKeeper`. By default, such references are refused.
   */
  readonly refresh?: TokenKeeperOptions<ItemRef, Caller | undefined, FoundGrantItem>['refresh']
}

/** Everything that {@link serveRelay} needs besides the flags. */
export interface RelayInput {
  readonly address: ServerAddress
  /** The token of the flag or of the environment. */
  readonly givenToken: string | undefined
  /** Resolves on a signal. */
  readonly stopped: Promise<void>
  readonly log: ServerLog
}

/** Serves a relay until the signal. */
export async function serveRelay(
  flags: RelayFlags,
  opened: CommandStore,
  { address, givenToken, stopped, log }: RelayInput,
): Promise<void> {
  const service = createVaultService({
    store: opened.store,
    activity: createStoredActivityLog(opened.store),
    dialect: connectDialect,
    onError: (error) => log.error(error),
  })
  const config = readConfig(opened)
  if (config.tokens !== undefined && flags.token !== undefined)
    throw new CommandError(
      '--token cannot be used with a configuration that has the tokens of the relay',
    )
  const isGenerated = config.tokens === undefined && givenToken === undefined
  if (isGenerated && flags.json) refuseGeneratedToken()
  const token = givenToken ?? (await createToken()).token
  const ownTokens = [{ id: 'relay', sha256: await hashToken(token), vaults: '*' }] as const
  const onError = (error: unknown, _: unknown, requestId: string): void =>
    log.error(isApiFailure(error) ? new CommandError(error.message) : error, requestId)
  const tokens = config.tokens ?? ownTokens
  const callers = new WeakMap<object, string>()
  const keeper = inConfig(() => createKeeper(service, opened.store, config))
  const relay = inConfig(() =>
    createRelay(service, keeper, { onError, ...config, tokens }, (request, caller) =>
      callers.set(request.source ?? request, caller.id),
    ),
  )
  const logged = withRequestLog(relay, (request) => log.request(request), {
    // The path belongs to an API, and may contain a secret of the sender.
    toPath: () => '*',
    callerOf: (request) => callers.get(request.source ?? request),
  })
  const server = await listen(createNodeListener(logged), address)
  const state: RelayState = {
    version: packageVersion(),
    url: `${server.origin}${config.basePath ?? '/relay'}`,
    isOnEveryAddress: server.isOnEveryAddress,
    store: opened.description,
    callers: tokens.map(({ id }) => String(id)),
  }
  log.event('listening', state, formatScreen(state, isGenerated ? token : undefined))
  try {
    await stopped
  } finally {
    await server.stop()
    await keeper?.close()
    await service.close()
  }
  log.flush()
  log.event('stopped', {}, 'Stopped.')
}

/** Returns true for the error of an API that cannot be reached or does not respond in time. */
function isApiFailure(error: unknown): error is Error {
  return error instanceof Error && [502, 504].includes(Number(Object(error).status))
}

/** Returns the member `relay` of the configuration, whose members are checked where they are used. */
function readConfig({ relay = {} }: CommandStore): RelayConfig {
  if (!isObject(relay)) throw new CommandError('relay of the configuration must be an object')
  for (const name of ['authenticate', 'fetch'])
    if (name in relay)
      throw new CommandError(`relay of the configuration: options.${name} is that of the command`)
  return relay
}

/** @throws CommandError for an option of the configuration that is invalid. */
function inConfig<Result>(create: () => Result): Result {
  try {
    return create()
  } catch (error) {
    // The messages of invalid options contain no values.
    if (error instanceof TypeError || error instanceof RangeError)
      throw new CommandError(`relay of the configuration: ${error.message}`)
    throw error
  }
}

/** The keeper of the access tokens that the relay sends. */
type RelayKeeper = TokenKeeper<ItemRef, Caller | undefined>

/** Returns undefined if the configuration does not say how tokens are refreshed. */
function createKeeper(
  service: VaultService,
  store: VaultStore,
  { refresh, retryRejected }: RelayConfig,
): RelayKeeper | undefined {
  if (refresh === undefined && retryRejected !== undefined)
    throw new TypeError('options.retryRejected needs options.refresh')
  if (refresh === undefined) return undefined
  const grants = vaultGrants(service, createCaller({ id: 'relay', vaults: '*' }))
  return createTokenKeeper({ grants, leases: store.records, refresh })
}

function createRelay(
  service: VaultService,
  keeper: RelayKeeper | undefined,
  {
    tokens = [],
    allow,
    placesOf,
    sign,
    retryRejected,
    allowShortValues,
    refresh: _,
    ...options
  }: RelayConfig,
  onLogin: (request: HttpRequest, caller: KnownCaller) => void,
): HttpHandler {
  const { allowHosts = [] } = options
  const secretOptions = {
    ...(allow && { allow }),
    ...(placesOf && { placesOf }),
    ...{ sign, retryRejected, allowShortValues },
  }
  const secretsOf = (caller: Caller): SecretSource =>
    vaultSecrets(service, caller, { tokens: keeper })
  // Its options are checked at the start, not by the first request.
  createSecretFetch(secretsOf(createCaller({ id: 'relay', vaults: {} })), secretOptions)
  const authenticate = bearerAuth(createTokenAuthenticator({ tokens }))
  return createSecretRelay(
    (caller, fetch) => createSecretFetch(secretsOf(caller), { ...secretOptions, fetch }),
    {
      ...options,
      authenticate: async (request) => {
        const caller = await authenticate(request)
        onLogin(request, caller)
        return caller
      },
      fetch: createPublicFetch({ allowHosts }),
    },
  )
}

/** Everything that the screen shows. */
interface RelayState {
  readonly version: string
  readonly url: string
  readonly isOnEveryAddress: boolean
  readonly store: string
  /** The ids of the callers who have a token. */
  readonly callers: readonly string[]
}

/** @param token - The token, if it was generated for this run. */
function formatScreen(state: RelayState, token: string | undefined): string {
  const { version, url, store, callers } = state
  return [
    `cofferkit ${version}`,
    '',
    `  Address  ${url}${state.isOnEveryAddress ? ', on other machines the name of this one' : ''}`,
    `  Store    ${store}`,
    `  Callers  ${callers.join(', ')}`,
    '',
    'A request to an API goes through the relay like this:',
    '',
    `  export RELAY=${url}`,
    `  export RELAY_TOKEN=${token ?? "'<your token>'"}`,
    '  curl -H "x-cofferkit-authorization: Bearer $RELAY_TOKEN" \\',
    '    -H "Authorization: Bearer {{ op://VAULT/ITEM/FIELD }}" $RELAY/https/api.example.com/',
    '',
    ...(token === undefined ? [] : ['The token is valid for this run only; --token chooses one.']),
    'It has no TLS: use it on this machine, or in a private network. Ctrl+C stops it.',
    '',
  ].join('\n')
}
