/**
 * A client of an MCP server whose tokens are in a vault, with the SDK of MCP. The SDK sends the user to
 * the consent screen, and a token keeper refreshes the tokens. The SDK gets no refresh token, so it
 * does not refresh by itself.
 */

import { createHash } from 'node:crypto'
import {
  auth,
  type OAuthClientProvider,
  refreshAuthorization,
} from '@modelcontextprotocol/sdk/client/auth.js'
import { InvalidGrantError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import {
  type Caller,
  createCaller,
  createVaultService,
  type ItemRef,
  isVaultError,
} from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import {
  createTokenKeeper,
  type TokenKeeper,
  type TokenKeeperOptions,
  type VaultGrants,
  vaultGrants,
} from 'cofferkit/oauth'
import { startProvider } from './oauth-provider.js'

const provider = await startProvider()
const clientInformation = { client_id: 'agent' }

const refresh: TokenKeeperOptions['refresh'] = async (refreshToken) => {
  try {
    const request = { clientInformation, refreshToken }
    const tokens = await refreshAuthorization(provider.issuer, request)
    const {
      access_token: accessToken,
      refresh_token,
      expires_in: expiresInSeconds,
    } = tokens
    return { accessToken, refreshToken: refresh_token, expiresInSeconds }
  } catch (error) {
    if (error instanceof InvalidGrantError) return false
    throw error
  }
}

/** The connection of one user to one MCP server, as the application stores it. */
interface Connection {
  /** The vault of the user's tenant. */
  readonly vaultId: string
  readonly userId: string
  readonly server: string
  /** The item with the tokens, once there are any. */
  ref?: ItemRef
}

/** Two members of an `OAuthClientProvider`, for one connection. */
const keepTokens = (
  grants: VaultGrants,
  keeper: TokenKeeper<ItemRef, Caller | undefined>,
  caller: Caller,
  connection: Connection,
) => ({
  async tokens(): Promise<OAuthTokens | undefined> {
    if (connection.ref === undefined) return undefined
    try {
      const token = await keeper.accessToken(connection.ref, caller)
      return { access_token: token, token_type: 'bearer' }
    } catch (error) {
      // Without tokens, the SDK sends the user to the consent screen again.
      if (isVaultError(error) && error.code === 'RECONNECT_REQUIRED')
        return undefined
      throw error
    }
  },
  async saveTokens({
    access_token: accessToken,
    refresh_token,
    expires_in,
    scope,
  }: OAuthTokens) {
    const tokens = {
      accessToken,
      refreshToken: refresh_token,
      expiresInSeconds: expires_in,
      scope,
    }
    const { vaultId, userId, server } = connection
    // Each server and each user has their own item. Without `account`, users of one tenant would
    // replace each other's tokens.
    connection.ref = await grants.save(vaultId, {
      name: server,
      account: userId,
      ...tokens,
    })
  },
})

const store = createMemoryStore()
let aheadMs = 0
const now = () => new Date(Date.now() + aheadMs)
const service = createVaultService({ store, now })
const caller = createCaller({ id: 'agent', vaults: '*' })
const grants = vaultGrants(service, caller)
const keeper = createTokenKeeper({
  grants,
  leases: store.records,
  refresh,
  now,
})
const { id: vaultId } = await service.createVault(caller, { name: 'Acme' })

/** A whole client for one user. Its user agrees at once. */
function createClient(userId: string) {
  let verifier = ''
  const connection: Connection = { vaultId, userId, server: provider.issuer }
  const client: OAuthClientProvider & { code: string } = {
    ...keepTokens(grants, keeper, caller, connection),
    redirectUrl: 'http://localhost:3000/callback',
    clientMetadata: { redirect_uris: ['http://localhost:3000/callback'] },
    clientInformation: () => clientInformation,
    saveCodeVerifier(codeVerifier) {
      verifier = codeVerifier
    },
    codeVerifier: () => verifier,
    code: '',
    async redirectToAuthorization(url) {
      const { headers } = await fetch(url, { redirect: 'manual' })
      client.code =
        new URL(headers.get('location') ?? '').searchParams.get('code') ?? ''
    },
  }
  return client
}

/** The way from the consent screen to a token that works. */
async function connect(
  client: ReturnType<typeof createClient>,
): Promise<string> {
  const asked = await auth(client, { serverUrl: provider.issuer })
  const done = await auth(client, {
    serverUrl: provider.issuer,
    authorizationCode: client.code,
  })
  return `${asked} ${done} ${await use(client)}`
}

const use = async (client: OAuthClientProvider) => {
  const tokens = await client.tokens()
  return tokens === undefined ? 'no token' : provider.call(tokens.access_token)
}
const digest = async (client: OAuthClientProvider) =>
  createHash('sha256')
    .update(String((await client.tokens())?.access_token))
    .digest('hex')

const [wendy, victor] = [createClient('wendy'), createClient('victor')]
console.log('wendy connects:', await connect(wendy))
console.log('victor connects:', await connect(victor))
console.log(
  'they have the same token:',
  (await digest(wendy)) === (await digest(victor)),
)
for (const round of ['once', 'twice']) {
  // An hour later, the token has expired.
  aheadMs += 3_600_000
  console.log('the token is refreshed:', await use(wendy))
  provider.disconnect()
  aheadMs += 3_600_000
  console.log('the grant was revoked:', await use(wendy))
  console.log(`wendy reconnects ${round}:`, await connect(wendy))
}
provider.close()
