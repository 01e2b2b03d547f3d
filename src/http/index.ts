/**
 * A vault service on HTTP: the handler that every mount stands on.
 * @module cofferkit/http
 */

export { type BearerAuthenticator, bearer } from '../auth/bearer.js'
export type { OperationName } from '../schema/operations.js'
export { createHttpHandler, type HttpHandlerOptions } from './handler.js'
export type { HttpHandler, HttpRequest, HttpResponse } from './message.js'
export type { BodyLimits } from './read-body.js'
export { type Route, routes } from './routes.js'
