/** `refresh` of a token keeper for an account of better-auth. */

import { refreshAccessToken } from 'better-auth/oauth2'
import type { TokenKeeperOptions } from 'cofferkit/oauth'

/** Returns the function that requests new tokens at the endpoint of a provider. */
export function createRefresh(
  tokenEndpoint: string,
): TokenKeeperOptions['refresh'] {
  const options = { clientId: 'shop', clientSecret: 'secret of the shop' }
  return async (refreshToken) => {
    try {
      const tokens = await refreshAccessToken({
        refreshToken,
        options,
        tokenEndpoint,
      })
      const { accessToken = '', accessTokenExpiresAt: at } = tokens
      const expiresInSeconds = at && (at.getTime() - Date.now()) / 1000
      return {
        accessToken,
        refreshToken: tokens.refreshToken,
        expiresInSeconds,
      }
    } catch (error) {
      if (Object(error).error === 'invalid_grant') return false
      throw error
    }
  }
}
