/** The code of every error, its HTTP status, and what a client reads of it. */

/** Error code -> HTTP status. The one table that the classes, the documents and the HTTP mount are read off. */
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

/** The stable name of what went wrong; a promise, where the message is not. */
export type ErrorCode = keyof typeof errorStatuses

/** What a client reads of an error (contract, section 2.8). */
export interface ErrorBody {
  /** The HTTP status, repeated. */
  readonly status: number
  /** A sentence that describes the error. */
  readonly message: string
}

/** The sentence a client reads when the fault is not his. */
export function publicMessage(status: number): string {
  return status === 503 ? 'Service temporarily unavailable' : 'Internal server error'
}
