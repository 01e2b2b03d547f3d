/** Keeps from Fastify what it would refuse itself, before anybody is asked for a token. */

import type { FastifyRequest } from './fastify-scope.js'

/** The beginning of a content type (RFC 9110, 8.3.1). */
const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/

/** A hook for `preParsing`: a request whose content type is malformed has none from here on, but in its `raw` request. */
export async function hideMalformedType(request: FastifyRequest): Promise<void> {
  const { 'content-type': type, ...headers } = request.headers
  if (type !== undefined && !mediaType.test(type))
    request.headers = { ...headers, 'content-type': undefined }
}
