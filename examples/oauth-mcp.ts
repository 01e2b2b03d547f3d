/**
 * `refresh` of a token keeper for an MCP server, and two members of an `OAuthClientProvider` that take
 * the tokens from the keeper, without a refresh token, so that the SDK does not refresh by itself.
 */

import { refreshAuthorization } from '@modelcontextprotocol/sdk/client/auth.js'
import { InvalidGrantError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import type { Caller, ItemRef } from 'cofferkit'
import type { TokenKeeper, TokenKeeperOptions, TokenRefresh } from 'cofferkit/oauth'
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

/** Two members of an `OAuthClientProvider`. */
export const keepTokens = (keeper: TokenKeeper, caller: Caller, ref: ItemRef) => ({
  async tokens(): Promise<OAuthTokens> {
    return { access_token: await keeper.accessToken(caller, ref), token_type: 'bearer' }
  },
  async saveTokens({ access_token: accessToken, refresh_token, expires_in }: OAuthTokens) {
    const tokens = { accessToken, refreshToken: refresh_token, expiresInSeconds: expires_in }
    await keeper.save(ref.vaultId, { name: 'mcp', ...tokens })
  },
})

const { refreshToken } = provider.connect()
const use = { signal: AbortSignal.timeout(10_000) } as TokenRefresh // the keeper calls it
console.log('refreshed:', (await refresh(refreshToken, use)) !== false)
console.log('the same token again:', await refresh(refreshToken, use))
provider.close()
