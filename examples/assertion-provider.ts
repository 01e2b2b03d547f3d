/**
 * Stands for GitHub and Google: it issues tokens for assertions that are signed with a private key, as
 * strictly as they do, and has an API that accepts the tokens.
 */

import { type KeyObject, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { jwtVerify } from 'jose'
import { listen } from './demo/listen.js'

/** The clients that the provider knows. */
interface Clients {
  /** Of the app and of the service account. */
  readonly publicKey: KeyObject
  readonly clientId: string
  readonly email: string
}

/** A status and a body. */
type Answer = readonly [number, object]

/** Starts the provider. A call of its API is a GET of `/api` with an access token. */
export async function startAssertionProvider({
  publicKey,
  clientId,
  email,
}: Clients) {
  const installations = new Set(['7'])
  const issued = new Set<string>()
  /** Everything that was received, for tests. */
  const received: string[] = []

  const issue = (): string => {
    const token = `token-${randomUUID()}`
    issued.add(token)
    return token
  }
  const verify = (assertion: string, claims: object) =>
    jwtVerify(assertion, publicKey, {
      ...{ algorithms: ['RS256'], requiredClaims: ['iat', 'exp'], ...claims },
    })

  /** https://docs.github.com/rest/apps/apps#create-an-installation-access-token-for-an-app */
  async function issueForApp(
    installation: string,
    authorization = '',
  ): Promise<Answer> {
    try {
      const { payload } = await verify(authorization.replace('Bearer ', ''), {
        issuer: clientId,
      })
      const { iat = 0, exp = 0 } = payload
      const isTooLong = exp - iat > 600 || exp > Date.now() / 1000 + 600
      if (isTooLong || iat > Date.now() / 1000)
        return [401, { message: 'the expiration is wrong' }]
    } catch {
      return [401, { message: 'A JSON web token could not be decoded' }]
    }
    if (!installations.has(installation)) return [404, { message: 'Not Found' }]
    const expires_at = new Date(Date.now() + 3_600_000)
      .toISOString()
      .replace(/\.\d+/, '')
    return [201, { token: issue(), expires_at }]
  }

  /** https://developers.google.com/identity/protocols/oauth2/service-account */
  async function issueForAccount(body: URLSearchParams): Promise<Answer> {
    if (
      body.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer'
    )
      return [400, { error: 'unsupported_grant_type' }]
    try {
      const audience = 'https://oauth2.googleapis.com/token'
      const claims = { issuer: email, audience, maxTokenAge: '1h' }
      const { payload } = await verify(body.get('assertion') ?? '', claims)
      if (Number(payload.exp) - Number(payload.iat) > 3600)
        throw new Error('it is valid too long')
      if (typeof payload['scope'] !== 'string' || payload['scope'] === '')
        return [400, { error: 'invalid_scope' }]
      return [
        200,
        { access_token: issue(), expires_in: 3599, token_type: 'Bearer' },
      ]
    } catch {
      return [
        400,
        { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' },
      ]
    }
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { method, url = '', headers } = request
    const body = await text(request)
    received.push(JSON.stringify([method, url, headers, body]))
    const send = ([status, content]: Answer): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify(content))
    }
    const installation = /^\/app\/installations\/(\w+)\/access_tokens$/.exec(
      url,
    )?.[1]
    if (installation !== undefined)
      return send(await issueForApp(installation, headers.authorization))
    if (url === '/token')
      return send(await issueForAccount(new URLSearchParams(body)))
    const isAccepted = issued.has(
      String(headers.authorization).replace('Bearer ', ''),
    )
    return send([isAccepted ? 200 : 401, {}])
  }

  const { origin, close } = await listen(
    (request, response) => void answer(request, response),
    0,
  )
  return {
    origin,
    received,
    /** The number of tokens that were issued. */
    countTokens: () => issued.size,
    /** Removes the app from the account of its user. */
    uninstall: () => installations.clear(),
    /** Ends all tokens. */
    expire: () => issued.clear(),
    close,
  }
}
