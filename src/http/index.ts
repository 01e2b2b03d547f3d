/**
 * A vault service on HTTP: the handler that every mount stands on.
 * @module cofferkit/http
 */

export { type BearerAuthenticator, bearer } from '../auth/bearer.js'
export type { OperationName } from '../schema/operations.js'
export type { Authentication } from './authenticate.js'
export { createHttpHandler, type HttpHandlerOptions } from './handler.js'
export type { HttpHandler, HttpRequest, HttpResponse } from './message.js'
export type { BodyLimits } from './read-body.js'
export type { UploadLimits, UploadProgress } from './read-content.js'
export { type Probe, probes, type QueryParameter, type Route, routes } from './routes.js'
