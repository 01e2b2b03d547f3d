/**
 * A vault service on HTTP: the handler that every mount stands on.
 * @module cofferkit/http
 */

export { type BearerAuthenticator, bearerAuth } from './auth/bearer.js'
export type { OperationName } from './core/operations.js'
export type { AuthenticationOptions } from './http/authenticate.js'
export {
  createHttpHandler,
  type HttpHandlerOptions,
  type OperationCall,
} from './http/create-http-handler.js'
export type { HttpHandler, HttpRequest, HttpResponse } from './http/message.js'
export { createOpenApiDocument, type OpenApiOptions } from './http/openapi/create-document.js'
export type {
  JsonObject,
  OpenApiDocument,
  OpenApiInfo,
  OpenApiOperation,
} from './http/openapi/document.js'
export type { BodyLimits } from './http/read-body.js'
export type { UploadLimits, UploadProgress } from './http/read-upload.js'
export { type ProbeRoute, probes, type QueryParameter, type Route, routes } from './http/routes.js'
