/**
 * Mounts the vault in Fastify 4 and 5.
 * @module cofferkit/fastify
 */

import { Readable } from 'node:stream'
import type { HttpHandler } from '../http/message.js'
import type { FastifyRequest, FastifyScope } from './fastify/plugin-scope.js'
import { handleNodeRequest, toHttpBody } from './node/request.js'
import { cleanUpDownload } from './node/send-response.js'
import { stripPrefix } from './strip-prefix.js'

export type { FastifyReply, FastifyRequest, FastifyScope } from './fastify/plugin-scope.js'

/**
 * A plugin for `app.register(plugin, { prefix: '/secrets' })`, or without a prefix. It answers every request under the
 * prefix, through the reply, so that hooks see it. Bodies are read by the vault: inside the plugin, and nowhere else, no
 * content type parser of the app is at work. If `api` fails, which the handlers of this library never do, it throws.
 */
export function createFastifyPlugin(api: HttpHandler): (scope: FastifyScope) => Promise<void> {
  return async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (_, payload) => payload)
    scope.addHook('preParsing', removeMalformedContentType)
    scope.all('/*', async ({ raw, body: payload, ip }, reply) => {
      const { status, headers, body } = await handleNodeRequest(raw, api, {
        url: stripPrefix(raw.url ?? '/', scope.prefix),
        body: toHttpBody(payload instanceof Readable ? payload : raw, undefined),
        remoteAddress: ip,
      })
      // Fastify would answer once more what has been broken off.
      cleanUpDownload(body, reply.raw, () => reply.hijack())
      reply.code(status).headers({ ...headers })
      return reply.send(body ?? undefined)
    })
  }
}

/** The beginning of a content type (RFC 9110, 8.3.1). */
const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/

/** A hook for `preParsing`: a request whose content type is malformed has none from here on, but in its `raw` request. */
async function removeMalformedContentType(request: FastifyRequest): Promise<void> {
  const { 'content-type': type, ...headers } = request.headers
  if (type !== undefined && !mediaType.test(type))
    request.headers = { ...headers, 'content-type': undefined }
}
