/** A provider of OAuth tokens, and an API that takes credentials and echoes what it gets. */

import type { TokenSet } from 'cofferkit/oauth'
import { secretStart } from './contents.js'
import { BrokenPromise } from './model.js'

/** The provider and the API of a world. */
export interface Provider {
  /** Issues the tokens of a new grant. */
  issue(): TokenSet
  /** Exchanges a refresh token; false if it was revoked. @throws BrokenPromise if it was used before. */
  refresh(refreshToken: string): TokenSet | false
  /** Revokes the grant of a refresh token. */
  revoke(refreshToken: string): void
  /** Sends a request to any API. The only one that may get a value is `api.example.com`. */
  fetch(request: Request): Promise<Response>
}

/** The origin to which credentials may be sent. */
export const apiOrigin = 'https://api.example.com'

/**
 * Creates a provider that has issued nothing.
 * @param onBroken Called with a promise that was broken: the library catches errors of its callers.
 */
export function createProvider(onBroken: (broken: BrokenPromise) => void): Provider {
  const used = new Set<string>()
  const revoked = new Set<string>()
  let count = 0
  const issue = (): TokenSet => {
    count++
    return {
      accessToken: `${secretStart}access-${count}`,
      refreshToken: `${secretStart}refresh-${count}`,
      expiresInSeconds: 3600,
    }
  }
  return {
    issue,
    revoke: (refreshToken) => void revoked.add(refreshToken),
    refresh(refreshToken) {
      if (revoked.has(refreshToken)) return false
      if (used.has(refreshToken))
        onBroken(new BrokenPromise('P8', 'a refresh token was used twice'))
      used.add(refreshToken)
      return issue()
    },
    async fetch(request) {
      const headers = JSON.stringify([...request.headers])
      const isLeaked = headers.includes(secretStart) && new URL(request.url).origin !== apiOrigin
      if (isLeaked) onBroken(new BrokenPromise('P3', 'a value was sent to another origin'))
      return new Response(headers, { headers: { 'content-type': 'text/plain' } })
    },
  }
}
