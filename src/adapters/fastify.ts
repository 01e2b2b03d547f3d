/**
 * Mounts the vault in Fastify 4 and 5.
 * @module cofferkit/fastify
 */

import { Readable } from 'node:stream'
import { result } from '../base/argument.js'
import type { Authenticate, Authenticated } from '../http/authenticate.js'
import { type FrameworkLoginOptions, fromMount } from '../http/from-mount.js'
import type { HttpHandler } from '../http/message.js'
import type { FastifyRequest, FastifyScope } from './fastify/plugin-scope.js'
import { cleanUpDownload, handleNodeRequest } from './node/messages.js'
import { stripPrefix } from './strip-prefix.js'

export type { FastifyReply, FastifyRequest, FastifyScope } from './fastify/plugin-scope.js'

/**
 * Creates a plugin for `app.register(plugin, { prefix: '/secrets' })`, or without a prefix. It
 * responds to every request under the prefix through Fastify's reply, so the app's hooks run.
 * Within the plugin, and only there, the app's content type parsers are replaced, because the vault
 * reads the bodies itself. If `api` rejects, the route rejects with the error. A handler of
 * `createHttpHandler` never rejects.
 *
 * @throws TypeError if `api` is not a handler.
 *
 * @example
 * ```ts
 * import { createFastifyPlugin } from 'cofferkit/fastify'
 * import { fastify } from 'fastify'
 *
 * const app = fastify()
 * app.register(createFastifyPlugin(api), { prefix: '/secrets' }) // api: createHttpHandler(…)
 * ```
 */
export function createFastifyPlugin(api: HttpHandler): (scope: FastifyScope) => Promise<void> {
  result('createHttpHandler')(api, 'api')
  return async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (_, payload) => payload)
    scope.addHook('preParsing', removeMalformedContentType)
    scope.all('/*', async (request, reply) => {
      const { raw, body: payload, ip } = request
      const { status, headers, body } = await handleNodeRequest(raw, reply.raw, api, {
        url: stripPrefix(raw.url ?? '/', scope.prefix),
        stream: payload instanceof Readable ? payload : raw,
        remoteAddress: ip,
        source: { mount: 'fastify', values: [request] },
      })
      // Otherwise Fastify would send a second response after an aborted one.
      cleanUpDownload(body, reply.raw, () => reply.hijack())
      reply.code(status).headers({ ...headers })
      return reply.send(body ?? undefined)
    })
  }
}

/**
 * Creates the option `authenticate` of `createHttpHandler` for {@link createFastifyPlugin}, from
 * your app's own login: any hook that is registered before the plugin.
 * @param authenticate - Called with Fastify's request. Annotate it with `FastifyRequest` from
 * `fastify`, which has the members that other plugins add. Return the caller, or a falsy value if
 * nobody is logged in (401).
 *
 * @example
 * ```ts
 * import { createCaller } from 'cofferkit'
 * import { fromFastify } from 'cofferkit/fastify'
 * import type { FastifyRequest } from 'fastify'
 *
 * const authenticate = fromFastify(
 *   ({ session }: FastifyRequest) => session.userId && createCaller({ id: session.userId, vaults: '*' }),
 * )
 * ```
 */
export function fromFastify<Request = FastifyRequest>(
  authenticate: (request: Request) => Authenticated | Promise<Authenticated>,
  options?: FrameworkLoginOptions,
): Authenticate {
  return fromMount('fastify', authenticate, options)
}

/** The beginning of a content type (RFC 9110, section 8.3.1). */
const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/

/**
 * A hook for `preParsing`. It removes a malformed content type from the headers of the request, but
 * not from its `raw` request, so that Fastify does not reject the request before the vault does.
 */
async function removeMalformedContentType(request: FastifyRequest): Promise<void> {
  const { 'content-type': type, ...headers } = request.headers
  if (type !== undefined && !mediaType.test(type))
    request.headers = { ...headers, 'content-type': undefined }
}
