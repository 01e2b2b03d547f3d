/**
 * An OAuth provider with an API. Its user agrees to everything. Each refresh token can be used once:
 * when one is used twice, the grant is revoked (RFC 9700, section 4.14.2).
 */

import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
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
  /** The code challenge of each authorization code (RFC 7636). */
  const codes = new Map<string, string>()
  const counts = { refreshes: 0 }
  const issue = (grant: Grant) => {
    grant.accessToken = randomUUID()
    grant.refreshToken = randomUUID()
    grants.set(grant.refreshToken, grant)
    const { accessToken, refreshToken } = grant
    return { accessToken, refreshToken, expiresInSeconds: 3600 }
  }
  const connect = () =>
    issue({ isRevoked: false, accessToken: '', refreshToken: '' })

  /** Sends the browser back to the application, with a code. */
  function agree(query: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID()
    codes.set(code, query.get('code_challenge') ?? '')
    const location = new URL(query.get('redirect_uri') ?? '')
    location.searchParams.set('code', code)
    location.searchParams.set('state', query.get('state') ?? '')
    response.writeHead(302, { Location: location.href }).end()
  }

  /** Returns new tokens for a code or a refresh token. */
  function exchange(body: URLSearchParams) {
    if (body.get('grant_type') === 'authorization_code') {
      const code = body.get('code') ?? ''
      const challenge = codes.get(code)
      codes.delete(code)
      const verifier = createHash('sha256').update(
        body.get('code_verifier') ?? '',
      )
      return challenge === verifier.digest('base64url') ? connect() : undefined
    }
    const refreshToken = body.get('refresh_token') ?? ''
    const grant = grants.get(refreshToken)
    if (grant === undefined) return undefined
    if (grant.refreshToken !== refreshToken) grant.isRevoked = true
    if (grant.isRevoked) return undefined
    counts.refreshes++
    return issue(grant)
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const send = (status: number, body: object): void => {
      const headers = {
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
      }
      response.writeHead(status, headers).end(JSON.stringify(body))
    }
    const isAccepted = [...grants.values()].some(
      ({ isRevoked, accessToken }) =>
        !isRevoked && request.headers.authorization === `Bearer ${accessToken}`,
    )
    const { pathname, searchParams } = new URL(request.url ?? '', origin)
    switch (pathname) {
      case '/.well-known/oauth-authorization-server':
        return send(200, {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        })
      case '/authorize':
        return agree(searchParams, response)
      case '/token': {
        const issued = exchange(new URLSearchParams(await text(request)))
        if (issued === undefined) return send(400, { error: 'invalid_grant' })
        return send(200, {
          token_type: 'Bearer',
          access_token: issued.accessToken,
          refresh_token: issued.refreshToken,
          expires_in: issued.expiresInSeconds,
        })
      }
      case '/api':
        return send(isAccepted ? 200 : 401, {
          id: 'wendy',
          name: 'Wendy',
          email: 'wendy@example.com',
          email_verified: true,
        })
      default:
        return send(404, {})
    }
  }

  const { origin, close } = await listen(
    (request, response) => void answer(request, response),
    0,
  )
  return {
    issuer: origin,
    authorizationEndpoint: `${origin}/authorize`,
    tokenEndpoint: `${origin}/token`,
    api: `${origin}/api`,
    counts,
    /** Issues the tokens of a new grant, as the consent screen does. */
    connect,
    /** Revokes all grants, as their user can. */
    disconnect() {
      for (const grant of grants.values()) grant.isRevoked = true
    },
    /** Calls the API, and returns the status. */
    async call(accessToken: string): Promise<number> {
      const headers = { Authorization: `Bearer ${accessToken}` }
      const response = await fetch(`${origin}/api`, { headers })
      await response.body?.cancel()
      return response.status
    },
    close,
  }
}
