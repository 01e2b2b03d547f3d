/** A vault server for the clients of 1Password Connect, with tokens, a stored log and history. */

import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { createVaultService } from 'cofferkit'
import { createStoredActivityLog } from 'cofferkit/activity'
import { createConnectDialect } from 'cofferkit/connect'
import {
  createEncryptedStore,
  createLocalKeyProvider,
  readKeyFile,
} from 'cofferkit/encrypted'
import { bearerAuth, createHttpHandler, type HttpRequest } from 'cofferkit/http'
import { createNodeListener } from 'cofferkit/node'
import { openSqliteStore } from 'cofferkit/sqlite'
import { createTokenAuthenticator, type StaticToken } from 'cofferkit/tokens'

type TokenEntry = StaticToken & { readonly expiresAt?: string }

const { env } = process
const {
  HOST = '127.0.0.1',
  PORT = '8080',
  STORE = 'vault.db',
  KEY_FILE = 'vault.key',
} = env
const { TOKENS_FILE = 'tokens.json', TRUSTED_PROXY, DRAIN_SECONDS = '5' } = env

const database = await openSqliteStore(STORE)
const keys = createLocalKeyProvider({ key: await readKeyFile(KEY_FILE) })
const store = createEncryptedStore(database, { keys })
const service = createVaultService({
  store,
  dialect: createConnectDialect(),
  activity: createStoredActivityLog(store, {
    maxAgeMs: 400 * 24 * 60 * 60 * 1000,
  }),
  history: { maxVersions: 10 },
  onError: (error) => console.error('unreadable:', error),
})

const file: { tokens: TokenEntry[] } = JSON.parse(
  await readFile(TOKENS_FILE, 'utf8'),
)
const tokens = file.tokens.map(({ expiresAt, ...token }) =>
  expiresAt === undefined
    ? token
    : { ...token, expiresAt: new Date(expiresAt) },
)
let isStopping = false
const api = createHttpHandler(service, {
  authenticate: bearerAuth(createTokenAuthenticator({ tokens })),
  // Only this machine reads the metrics. After a failed probe,
  // the load balancer sends no more requests.
  probes: { health: () => !isStopping, metrics: isLocal },
  onError: (error, { method, url }, requestId) =>
    console.error(requestId, method, url.split('?')[0], error),
})

/** Answers a request. The log gets the client's address, not the proxy's. */
const answer = (request: HttpRequest) => {
  const forwarded = request.header('x-forwarded-for')?.split(',').at(-1)?.trim()
  const isProxied =
    TRUSTED_PROXY !== undefined && request.remoteAddress === TRUSTED_PROXY
  return api(
    isProxied && forwarded ? { ...request, remoteAddress: forwarded } : request,
  )
}

function isLocal(request: HttpRequest): boolean {
  return (
    request.remoteAddress === '127.0.0.1' &&
    request.header('x-forwarded-for') === undefined
  )
}

const server = createServer(
  { keepAliveTimeout: 65_000 },
  createNodeListener(answer),
)
server.listen(Number(PORT), HOST, () =>
  console.log(`listening on http://${HOST}:${PORT}`),
)

process.once('SIGTERM', async () => {
  isStopping = true
  await setTimeout(Number(DRAIN_SECONDS) * 1000) // 1. the load balancer notices
  const late = AbortSignal.timeout(10_000)
  late.addEventListener('abort', () => server.closeAllConnections())
  const idle = setInterval(() => server.closeIdleConnections(), 100)
  await new Promise((resolve) => server.close(resolve)) // 2. requests end
  clearInterval(idle)
  await service.close() // 3. calls in progress settle
  await store.close() // 4. keys in memory are overwritten
  await database.close() // 5. the last commit is on the drive
})
