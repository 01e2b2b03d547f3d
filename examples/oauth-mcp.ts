/**
 * `refresh` of a token keeper for an MCP server, and two members of an `OAuthClientProvider` that take
 * the tokens from the keeper, without a refresh token, so that the SDK does not refresh by itself.
 */

import { refreshAuthorization } from '@modelcontextprotocol/sdk/client/auth.js'
import { InvalidGrantError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { type Caller, createCaller, createVaultService, type ItemRef } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import {
  createTokenKeeper,
  type TokenKeeper,
  type TokenKeeperOptions,
  type TokenRefresh,
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
    const { access_token: accessToken, refresh_token, expires_in: expiresInSeconds } = tokens
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
export const keepTokens = (
  grants: VaultGrants,
  keeper: TokenKeeper<ItemRef, Caller | undefined>,
  caller: Caller,
  connection: Connection,
) => ({
  async tokens(): Promise<OAuthTokens | undefined> {
    if (connection.ref === undefined) return undefined
    const token = await keeper.accessToken(connection.ref, caller)
    return { access_token: token, token_type: 'bearer' }
  },
  async saveTokens({ access_token: accessToken, refresh_token, expires_in }: OAuthTokens) {
    const tokens = { accessToken, refreshToken: refresh_token, expiresInSeconds: expires_in }
    const { vaultId, userId, server } = connection
    // Each server and each user has their own item. Without `account`, users of one tenant would
    // replace each other's tokens.
    connection.ref = await grants.save(vaultId, { name: server, account: userId, ...tokens })
  },
})

const { refreshToken } = provider.connect()
const use = { signal: AbortSignal.timeout(10_000) } as TokenRefresh // the keeper calls it
console.log('refreshed:', (await refresh(refreshToken, use)) !== false)
console.log('the same token again:', await refresh(refreshToken, use))

const store = createMemoryStore()
const service = createVaultService({ store })
const caller = createCaller('agent', '*')
const grants = vaultGrants(service, { caller })
const keeper = createTokenKeeper({ grants, leases: store.records, refresh })
const { id: vaultId } = await service.createVault(caller, { name: 'Acme' })
const connect = (userId: string) =>
  keepTokens(grants, keeper, caller, { vaultId, userId, server: provider.issuer })
const [wendy, victor] = [connect('wendy'), connect('victor')]
await wendy.saveTokens({ access_token: 'token of wendy', token_type: 'bearer' })
await victor.saveTokens({ access_token: 'token of victor', token_type: 'bearer' })
console.log('wendy uses the', (await wendy.tokens())?.access_token)
console.log('victor uses the', (await victor.tokens())?.access_token)
provider.close()
