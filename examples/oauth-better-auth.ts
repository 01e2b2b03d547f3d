/** `refresh` of a token keeper for an account of better-auth. */

import { refreshAccessToken } from 'better-auth/oauth2'
import type { TokenKeeperOptions, TokenRefresh } from 'cofferkit/oauth'
import { startProvider } from './oauth-provider.js'

const provider = await startProvider()
const { tokenEndpoint } = provider
const options = { clientId: 'shop', clientSecret: 'secret of the shop' }

const refresh: TokenKeeperOptions['refresh'] = async (refreshToken) => {
  try {
    const tokens = await refreshAccessToken({ refreshToken, options, tokenEndpoint })
    const { accessToken = '', accessTokenExpiresAt: at } = tokens
    const expiresInSeconds = at && (at.getTime() - Date.now()) / 1000
    return { accessToken, refreshToken: tokens.refreshToken, expiresInSeconds }
  } catch (error) {
    if (Object(error).error === 'invalid_grant') return false
    throw error
  }
}

const { refreshToken } = provider.connect()
const use = { signal: AbortSignal.timeout(10_000) } as TokenRefresh // the keeper calls it
console.log('refreshed:', (await refresh(refreshToken, use)) !== false)
console.log('the same token again:', await refresh(refreshToken, use))
provider.close()
