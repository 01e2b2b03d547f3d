/**
 * A vault service on HTTP: the handler that every mount stands on.
 * @module cofferkit/http
 */

export { type BearerAuthenticator, bearer } from '../auth/bearer.js'
export type { OperationName } from '../schema/operations.js'
export type { Authentication } from './authenticate.js'
export { createHttpHandler, type HttpHandlerOptions, type OperationCall } from './handler.js'
export type { HttpHandler, HttpRequest, HttpResponse } from './message.js'
export { createOpenApiDocument, type OpenApiOptions } from './openapi.js'
export type {
  OpenApiDocument,
  OpenApiInfo,
  OpenApiOperation,
  OpenApiPart,
} from './openapi-document.js'
export type { BodyLimits } from './read-body.js'
export type { UploadLimits, UploadProgress } from './read-content.js'
export { type Probe, probes, type QueryParameter, type Route, routes } from './routes.js'
