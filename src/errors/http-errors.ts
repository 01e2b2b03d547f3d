/** Errors of HTTP requests that are rejected outside of an operation. */

import { VaultErrorBase } from './vault-error-base.js'

/** The codes of the classes that extend `HttpError`. */
export type HttpErrorCode =
  | 'ROUTE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'TOO_MANY_REQUESTS'
  | 'AUTHENTICATION_UNAVAILABLE'

/** Options of the errors of HTTP requests. */
export interface HttpErrorOptions {
  /** Headers of the response, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
  /** For the operator; it never leaves the process. */
  readonly cause?: unknown
}

/**
 * The base class of the errors that only the HTTP handler throws, and of the 429 of a rate limit.
 */
export abstract class HttpError extends VaultErrorBase<HttpErrorCode> {
  static override readonly kind: string = 'HttpError'
  /** Headers of the response, such as `Allow`; empty if it needs none. */
  readonly headers: Readonly<Record<string, string>>

  protected constructor(code: HttpErrorCode, message: string, options: HttpErrorOptions = {}) {
    super(code, message, options.cause)
    this.headers = options.headers ?? {}
  }
}

/** 404 (`ROUTE_NOT_FOUND`): no operation has this path. */
export class RouteNotFoundError extends HttpError {
  static override readonly kind: string = 'RouteNotFoundError'
  declare readonly code: 'ROUTE_NOT_FOUND'
  constructor(message = 'no such resource', options?: HttpErrorOptions) {
    super('ROUTE_NOT_FOUND', message, options)
  }
}

/**
 * 405 (`METHOD_NOT_ALLOWED`): the path does not have this method. `Allow` lists the methods that it
 * has.
 */
export class MethodNotAllowedError extends HttpError {
  static override readonly kind: string = 'MethodNotAllowedError'
  declare readonly code: 'METHOD_NOT_ALLOWED'
  constructor(message: string, options?: HttpErrorOptions) {
    super('METHOD_NOT_ALLOWED', message, options)
  }
}

/** 408 (`REQUEST_TIMEOUT`): the body of the request did not arrive in time. */
export class RequestTimeoutError extends HttpError {
  static override readonly kind: string = 'RequestTimeoutError'
  declare readonly code: 'REQUEST_TIMEOUT'
  constructor(message: string, options?: HttpErrorOptions) {
    super('REQUEST_TIMEOUT', message, options)
  }
}

/** 415 (`UNSUPPORTED_MEDIA_TYPE`): the headers declare a body that cannot be read. */
export class UnsupportedMediaTypeError extends HttpError {
  static override readonly kind: string = 'UnsupportedMediaTypeError'
  declare readonly code: 'UNSUPPORTED_MEDIA_TYPE'
  constructor(message: string, options?: HttpErrorOptions) {
    super('UNSUPPORTED_MEDIA_TYPE', message, options)
  }
}

/**
 * 429 (`TOO_MANY_REQUESTS`): a rate limit was reached. The library never throws it.
 * `beforeOperation` can throw it, with the header `Retry-After`.
 */
export class TooManyRequestsError extends HttpError {
  static override readonly kind: string = 'TooManyRequestsError'
  declare readonly code: 'TOO_MANY_REQUESTS'
  constructor(message: string, options?: HttpErrorOptions) {
    super('TOO_MANY_REQUESTS', message, options)
  }
}

/** 503 (`AUTHENTICATION_UNAVAILABLE`): `authenticate` failed, or did not settle in time. */
export class AuthenticationUnavailableError extends HttpError {
  static override readonly kind: string = 'AuthenticationUnavailableError'
  declare readonly code: 'AUTHENTICATION_UNAVAILABLE'
  constructor(message: string, options?: HttpErrorOptions) {
    super('AUTHENTICATION_UNAVAILABLE', message, options)
  }
}
