/** Refuses the changes that a page of another site sends with the cookie of a user. */

import { ForbiddenError } from 'cofferkit'
import type { Authenticate, HttpRequest } from 'cofferkit/http'

/** The origin of your own pages. */
const ownOrigin = 'https://app.example'

/** Returns a login that first refuses the changes of other sites. */
export function refuseCrossSite(authenticate: Authenticate): Authenticate {
  const login = (request: HttpRequest) => {
    assertSameSite(request)
    return authenticate(request)
  }
  // With the same challenge.
  return Object.assign(login, authenticate)
}

/** Programs are not refused: they do not send these headers. */
function assertSameSite({ method, header }: HttpRequest): void {
  if (method === 'GET' || method === 'HEAD') return
  const site = header('sec-fetch-site')
  if (site === 'same-origin' || site === 'none') return
  // Browsers before 2023, and all of them without TLS, send only the origin.
  const origin = header('origin')
  if (site === undefined && (origin === undefined || origin === ownOrigin))
    return
  throw new ForbiddenError('changes must come from a page of this site')
}
