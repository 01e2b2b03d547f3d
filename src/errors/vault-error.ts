/** The base class of all errors of the library, and what all of them have in common. */

import { kindOf, number, object, text } from '../base/argument.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { safeGet } from '../base/safe-get.js'

/**
 * Error code -> HTTP status. The classes, the documents and the HTTP handler are derived from this
 * table.
 */
export const errorStatuses = {
  INVALID_INPUT: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  SECRET_USE_REFUSED: 403,
  NOT_FOUND: 404,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  RECONNECT_REQUIRED: 409,
  PRECONDITION_FAILED: 412,
  CONTENT_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  CREDENTIAL_REJECTED: 422,
  TOO_MANY_REQUESTS: 429,
  STORAGE_FAILED: 500,
  DECRYPTION_FAILED: 500,
  GENERATION_FAILED: 500,
  RULE_FAILED: 500,
  STORAGE_UNAVAILABLE: 503,
  CREDENTIAL_UNVERIFIED: 503,
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

/** Options of every error. */
export interface VaultErrorOptions {
  /** For the operator. It never leaves the process. */
  readonly cause?: unknown
  /**
   * Headers that the response has over HTTP, such as `Allow`. They cannot be headers that the
   * library sets itself, such as `Content-Type` and `X-Request-Id`. For `Retry-After`, use
   * `retryAfterSeconds`.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * How long the client should wait before it tries again, in seconds: 0 to 31,536,000 (a year).
   * Over HTTP it is sent as `Retry-After`, rounded up to whole seconds. By default, a response with
   * 409, 429 or 503 has `Retry-After: 1`.
   */
  readonly retryAfterSeconds?: number | undefined
}

/** A header that the library sets itself, or that belongs to the connection. */
const reservedHeader =
  /^(?:content-.*|x-content-type-options|x-request-id|x-cofferkit-.*|cache-control|referrer-policy|connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|retry-after)$/i

/** The characters of a header's name (RFC 9110, section 5.6.2). */
const headerName = /^[!#$%&'*+\-.^_`|~\w]+$/

const headerValue = text('visible ASCII characters and spaces', /^[\x20-\x7e]*$/)

/**
 * The kind of the headers of a response.
 * @throws TypeError if a name or a value cannot be sent, or if the library sets the header itself.
 */
function headers(given: Readonly<Record<string, string>>, path: string): typeof given {
  const entries = Object.entries(object()(given, path))
  for (const [name, value] of entries) {
    if (!headerName.test(name)) throw new TypeError(`${path} has a name that no header can have`)
    if (/^retry-after$/i.test(name))
      throw new TypeError(`${path}.${name} cannot be set here: pass retryAfterSeconds`)
    if (reservedHeader.test(name)) throw new TypeError(`${path}.${name} is set by the library`)
    headerValue(value, `${path}.${name}`)
  }
  return Object.freeze({ ...given })
}

const anything = kindOf<unknown>('anything', () => true)

/** The options of every error. The class of an error adds its own. */
export const errorOptions = defineOptions({
  cause: optional(anything),
  headers: optional(headers),
  retryAfterSeconds: optional(number({ unit: 'seconds', min: 0, max: 31_536_000 })),
} satisfies OptionKinds<VaultErrorOptions>)

/**
 * Returns the message that a client reads instead of the error's own.
 * @param status 500 to 599
 */
export function publicMessage(status: number): string {
  return status === 503 ? 'Service temporarily unavailable' : 'Internal server error'
}

/** The same symbol in every copy of the package. */
const brand = Symbol.for('cofferkit.error')

/**
 * The base class of all errors of the library. `instanceof` also recognizes an error of another
 * copy of the package, such as its CommonJS build.
 */
export abstract class VaultErrorBase<Code extends ErrorCode = ErrorCode> extends Error {
  static {
    Object.defineProperty(this, 'name', { value: 'VaultError' })
  }
  /** The name of the class, the same in every copy of the package and after minification. */
  static readonly kind: string = 'VaultError'
  /** Identifies the error. Codes are stable, messages are not. */
  readonly code: Code
  /** The HTTP status of the code, 400 to 599. */
  readonly status: number

  /** Headers that the response has over HTTP. Not set if the error adds none. */
  declare readonly headers?: Readonly<Record<string, string>>
  /** How long the client should wait before it tries again, in seconds. Not set if it is unknown. */
  declare readonly retryAfterSeconds?: number

  /**
   * @param options Options that have been read, and so are valid.
   * @throws TypeError if the message is not a string.
   */
  protected constructor(
    code: Code,
    message: string,
    { cause, headers, retryAfterSeconds }: VaultErrorOptions,
  ) {
    super(text()(message, 'message'), cause === undefined ? undefined : { cause })
    this.code = code
    this.status = errorStatuses[code]
    if (headers !== undefined) this.headers = headers
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds
    Object.defineProperty(this, 'name', { value: new.target.kind })
    Object.defineProperty(this, brand, { value: classChain(new.target) })
  }

  /**
   * Checks whether a value is an error of this class, or of the same class in another copy of the
   * package.
   * @returns True for errors of this class and of the classes that extend it.
   */
  static override [Symbol.hasInstance]<Instance>(
    this: { readonly prototype: Instance; readonly kind: string },
    value: unknown,
  ): value is Instance {
    // A user's own class inherits `kind`, so it is recognized by its prototype alone.
    return Object.hasOwn(this, 'kind')
      ? classNamesOf(value).includes(this.kind)
      : Function.prototype[Symbol.hasInstance].call(this, value)
  }

  /**
   * Returns the error as a client may read it.
   * @returns The status and the message. From status 500 up, the message is a fixed sentence.
   */
  toJSON(): ErrorBody {
    return {
      status: this.status,
      message: this.status < 500 ? this.message : publicMessage(this.status),
    }
  }
}

/**
 * Returns the names of an error's class and of the classes of the library that it extends.
 * @returns An empty array if `value` is not an error of the library.
 */
export function classNamesOf(value: unknown): readonly string[] {
  const names = safeGet(value, brand)
  return Array.isArray(names) ? names : []
}

function classChain(errorClass: typeof VaultErrorBase): readonly string[] {
  const { kind } = errorClass
  return errorClass === VaultErrorBase
    ? [kind]
    : [kind, ...classChain(Object.getPrototypeOf(errorClass))]
}
