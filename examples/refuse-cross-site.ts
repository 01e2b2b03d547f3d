/** Refuses the changes that a page of another site sends with the cookie of a user. */

import { ForbiddenError } from 'cofferkit'

/** The origin of your own pages. */
const ownOrigin = 'https://app.example'

/** A request of `cofferkit/http`, of Express or of another framework. */
interface Request {
  readonly method: string
  header(name: string): string | undefined
}

/** Call it in `authenticate`. Programs are not refused: they do not send these headers. */
export function refuseCrossSite(request: Request): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const site = request.header('sec-fetch-site')
  if (site === 'same-origin' || site === 'none') return
  // Browsers before 2023, and all of them without TLS, send only the origin.
  const origin = request.header('origin')
  if (site === undefined && (origin === undefined || origin === ownOrigin)) return
  throw ForbiddenError.because('changes must come from a page of this site')
}
