/**
 * An OAuth provider with an API, as RFC 9700 (section 4.14.2) describes it: each refresh token can be
 * used once, and a grant is revoked when one is used twice.
 */

import { randomUUID } from 'node:crypto'

/** Tokens that a provider has issued. */
interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken: string
  readonly expiresInSeconds: number
}

/** The requests that a provider has received. */
interface ProviderCounts {
  /** Requests of new tokens. */
  readonly requests: number
  /** Requests that were answered with new tokens. */
  readonly refreshes: number
  /** Requests with a refresh token that had been used before. */
  readonly reuses: number
}

/** A provider in this process. */
export interface Provider {
  /** Issues the tokens of a new grant. */
  connect(): IssuedTokens
  /** Exchanges a refresh token. Returns false if its grant is gone. */
  refresh(refreshToken: string): IssuedTokens | false
  /** Calls the API. Returns false if the access token has expired or its grant is revoked. */
  call(accessToken: string): boolean
  /** Returns true if the refresh token can be used. */
  isLive(refreshToken: string): boolean
  /** Ends a grant, as its owner can. */
  revoke(refreshToken: string): void
  readonly counts: ProviderCounts
}

/** Options of a provider. */
export interface ProviderOptions {
  /** The lifetime of access tokens that the provider tells. */
  readonly expiresInSeconds: number
  /** The time for which the API accepts them, in milliseconds. */
  readonly acceptedMs: number
}

interface GrantState {
  isRevoked: boolean
  refreshToken: string
}

/** Creates a provider without grants. */
export function createProvider({ expiresInSeconds, acceptedMs }: ProviderOptions): Provider {
  const grants = new Map<string, GrantState>()
  const accessTokens = new Map<string, { readonly grant: GrantState; readonly until: number }>()
  const counts = { requests: 0, refreshes: 0, reuses: 0 }
  const issue = (grant: GrantState): IssuedTokens => {
    const accessToken = `access-${randomUUID()}`
    grant.refreshToken = `refresh-${randomUUID()}`
    grants.set(grant.refreshToken, grant)
    accessTokens.set(accessToken, { grant, until: performance.now() + acceptedMs })
    return { accessToken, refreshToken: grant.refreshToken, expiresInSeconds }
  }
  return {
    connect: () => issue({ isRevoked: false, refreshToken: '' }),
    refresh(refreshToken) {
      counts.requests++
      const grant = grants.get(refreshToken)
      if (grant === undefined) return false
      if (grant.refreshToken !== refreshToken) {
        counts.reuses++
        grant.isRevoked = true
      }
      if (grant.isRevoked) return false
      counts.refreshes++
      return issue(grant)
    },
    call(accessToken) {
      const token = accessTokens.get(accessToken)
      return token !== undefined && !token.grant.isRevoked && performance.now() < token.until
    },
    isLive(refreshToken) {
      const grant = grants.get(refreshToken)
      return grant?.refreshToken === refreshToken && !grant.isRevoked
    },
    revoke(refreshToken) {
      const grant = grants.get(refreshToken)
      if (grant !== undefined) grant.isRevoked = true
    },
    counts,
  }
}
