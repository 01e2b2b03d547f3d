/**
 * The HTTP handler of a service, which every mount uses.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createVaultService } from 'cofferkit'
 * import { bearerAuth, createHttpHandler } from 'cofferkit/http'
 * import { createMemoryStore } from 'cofferkit/memory'
 * import { createNodeListener } from 'cofferkit/node'
 * import { createTokenAuthenticator, hashToken } from 'cofferkit/tokens'
 *
 * const service = createVaultService({ store: createMemoryStore() })
 * const tokens = [{ id: 'wendy', sha256: await hashToken('secret'), vaults: '*' }] as const
 * const authenticate = bearerAuth(createTokenAuthenticator({ tokens }))
 * const handler = createHttpHandler(service, { authenticate, extensions: true })
 * createServer(createNodeListener(handler)).listen(8080)
 * ```
 *
 * @module cofferkit/http
 */

export { type BearerAuthenticator, bearerAuth } from './auth/bearer.js'
export type { Authenticate, Authenticated, AuthenticationOptions } from './http/authenticate.js'
export {
  createHttpHandler,
  type HttpHandlerOptions,
} from './http/create-http-handler.js'
export type { FrameworkLoginOptions } from './http/from-mount.js'
export type {
  HttpHandler,
  HttpRequest,
  HttpResponse,
  ParsedBody,
  RequestSource,
} from './http/message.js'
export type { ProbeAccess, ProbeCheck, ProbeName } from './http/probes.js'
export type { BodyLimits } from './http/read-body.js'
export type { UploadLimits, UploadProgress } from './http/read-upload.js'
export { type ProbeRoute, probes, type QueryParameter, type Route, routes } from './http/routes.js'
