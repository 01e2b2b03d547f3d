/**
 * Tokens of a Google service account, each for an hour (RFC 7523). The private key of the account is
 * the refresh token of the grant: only the token keeper uses it, and it is sent nowhere.
 */

import { createPrivateKey } from 'node:crypto'
import type { FoundGrantItem, TokenRefresh, TokenSet } from 'cofferkit/oauth'
import { SignJWT } from 'jose'

const audience = 'https://oauth2.googleapis.com/token'

/** A service account, as in its key file. */
export interface ServiceAccount {
  readonly client_email: string
  readonly private_key: string
}

/** Requests a token. Resolves with false if the key or the account was deleted. */
export async function requestGoogleToken(
  { client_email, private_key }: ServiceAccount,
  scope: string,
  {
    endpoint = audience,
    signal = null,
  }: { endpoint?: string; signal?: AbortSignal | null } = {},
): Promise<TokenSet | false> {
  const assertion = await new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(client_email)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(createPrivateKey(private_key))
  const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
  const body = new URLSearchParams({ grant_type, assertion })
  const response = await fetch(endpoint, { method: 'POST', body, signal })
  const { access_token, expires_in, error } = await response.json()
  if (error === 'invalid_grant') return false
  if (!response.ok) throw new Error(`Google has answered ${response.status}`)
  return { accessToken: access_token, expiresInSeconds: expires_in, scope }
}

/** Returns `refresh` of a token keeper, for grants whose account is the email of the account. */
export const refreshServiceAccount =
  (endpoint?: string) =>
  (
    private_key: string,
    { found, signal }: TokenRefresh<unknown, FoundGrantItem>,
  ) =>
    requestGoogleToken(
      { client_email: found.account ?? '', private_key },
      found.grant.scope ?? '',
      {
        ...{ signal, ...(endpoint !== undefined && { endpoint }) },
      },
    )
