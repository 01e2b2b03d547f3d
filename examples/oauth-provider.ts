/**
 * The token endpoint of an OAuth provider, and an API. Each refresh token can be used once: when one
 * is used twice, the grant is revoked (RFC 9700, section 4.14.2).
 */

import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { listen } from './demo/listen.js'

interface Grant {
  isRevoked: boolean
  accessToken: string
  refreshToken: string
}

/** Starts a provider. A call of its API is a GET of `/api` with an access token. */
export async function startProvider() {
  const grants = new Map<string, Grant>()
  const counts = { refreshes: 0 }
  const issue = (grant: Grant) => {
    grant.accessToken = randomUUID()
    grant.refreshToken = randomUUID()
    grants.set(grant.refreshToken, grant)
    const { accessToken, refreshToken } = grant
    return { accessToken, refreshToken, expiresInSeconds: 3600 }
  }
  const { origin, close } = await listen(async (request, response) => {
    const send = (status: number, body: object): void => {
      const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
      response.writeHead(status, headers).end(JSON.stringify(body))
    }
    if (request.url === '/api') {
      const isAccepted = ({ isRevoked, accessToken }: Grant): boolean =>
        !isRevoked && request.headers.authorization === `Bearer ${accessToken}`
      return send([...grants.values()].some(isAccepted) ? 200 : 401, {})
    }
    const refreshToken = new URLSearchParams(await text(request)).get('refresh_token') ?? ''
    const grant = grants.get(refreshToken)
    if (grant === undefined) return send(400, { error: 'invalid_grant' })
    if (grant.refreshToken !== refreshToken) grant.isRevoked = true
    if (grant.isRevoked) return send(400, { error: 'invalid_grant' })
    counts.refreshes++
    const issued = issue(grant)
    return send(200, {
      token_type: 'bearer',
      access_token: issued.accessToken,
      refresh_token: issued.refreshToken,
      expires_in: issued.expiresInSeconds,
    })
  }, 0)
  return {
    issuer: origin,
    tokenEndpoint: `${origin}/token`,
    api: `${origin}/api`,
    counts,
    /** Issues the tokens of a new grant, as the consent screen does. */
    connect: () => issue({ isRevoked: false, accessToken: '', refreshToken: '' }),
    close,
  }
}
