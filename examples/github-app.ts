/**
 * Tokens of a GitHub App, each for an hour. The private key of the app is the refresh token of the
 * grant: only the token keeper uses it, and it is sent nowhere.
 */

import { createPrivateKey } from 'node:crypto'
import type { FoundGrantItem, TokenRefresh, TokenSet } from 'cofferkit/oauth'
import { SignJWT } from 'jose'

/** A GitHub App. */
export interface GitHubApp {
  readonly clientId: string
  /** Default: `https://api.github.com`. */
  readonly api?: string
}

/** Requests a token of an installation. Resolves with false if the app was uninstalled. */
export async function requestInstallationToken(
  privateKey: string,
  installationId: string,
  { clientId, api = 'https://api.github.com' }: GitHubApp,
  signal: AbortSignal | null = null,
): Promise<TokenSet | false> {
  // GitHub accepts no assertion of the future, and none for more than ten minutes.
  const now = Math.floor(Date.now() / 1000)
  const assertion = await new SignJWT()
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(clientId)
    .setIssuedAt(now - 60)
    .setExpirationTime(now + 480)
    .sign(createPrivateKey(privateKey)) // as GitHub returns it, in PKCS #1
  const url = `${api}/app/installations/${encodeURIComponent(installationId)}/access_tokens`
  const headers = {
    Accept: 'application/vnd.github+json',
    Authorization: `Bearer ${assertion}`,
    'User-Agent': clientId,
  }
  const response = await fetch(url, { method: 'POST', headers, signal })
  if (response.status === 404) return false
  if (!response.ok) throw new Error(`GitHub has answered ${response.status}`)
  const { token, expires_at } = await response.json()
  return { accessToken: token, expiresAt: new Date(expires_at) }
}

/** Returns `refresh` of a token keeper, for grants whose account is the id of an installation. */
export const refreshInstallation =
  (app: GitHubApp) =>
  (
    privateKey: string,
    { found, signal }: TokenRefresh<unknown, FoundGrantItem>,
  ) =>
    requestInstallationToken(privateKey, found.account ?? '', app, signal)
