/** The code of every error, its HTTP status and its body. */

/**
 * Error code -> HTTP status. The classes, the documents and the HTTP handler are derived from this
 * table.
 */
export const errorStatuses = {
  INVALID_INPUT: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  CONTENT_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  TOO_MANY_REQUESTS: 429,
  STORAGE_FAILED: 500,
  DECRYPTION_FAILED: 500,
  GENERATION_FAILED: 500,
  STORAGE_UNAVAILABLE: 503,
  ACTIVITY_UNAVAILABLE: 503,
  AUTHENTICATION_UNAVAILABLE: 503,
} as const

/** The code of an error. Codes are stable, messages are not. */
export type ErrorCode = keyof typeof errorStatuses

/** The body of an error response (contract, section 2.8). */
export interface ErrorBody {
  /** The HTTP status of the response. */
  readonly status: number
  /** A sentence that describes the error. */
  readonly message: string
}

/**
 * Returns the message that a client reads instead of the error's own.
 * @param status 500 to 599
 */
export function publicMessage(status: number): string {
  return status === 503 ? 'Service temporarily unavailable' : 'Internal server error'
}
