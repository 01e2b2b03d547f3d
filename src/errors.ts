/**
 * Every error a vault can answer with.
 *
 * An error is for three readers: the caller in code reads `code` and `status`, the client reads `message`, and the
 * operator reads `cause`, which never leaves the process. No error holds a value that a client sent.
 */

import { type ErrorBody, type ErrorCode, errorStatuses, publicMessage } from './error-codes.js'

/** One place of an input that cannot be taken. */
export interface InputIssue {
  /** Names and indices from the input's root, joined by `/`, such as `fields/2/type`; empty for the input itself. */
  readonly path: string
  /** What is wrong there, without the value. */
  readonly message: string
}

const brand: unique symbol = Symbol.for('cofferkit.error') as never

/**
 * What all errors of the library have in common. `instanceof` also holds for an error that was made by another copy
 * of the package, such as its CommonJS build.
 */
export abstract class VaultError extends Error {
  /** The class's name in every copy of the package. */
  static readonly kind: string = 'VaultError'
  /** The stable name of what went wrong. */
  readonly code: ErrorCode
  /** The HTTP status that belongs to it, 400 to 599. */
  readonly status: number

  protected constructor(code: ErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = errorStatuses[code]
    Object.defineProperty(this, 'name', { value: new.target.kind })
    Object.defineProperty(this, brand, { value: classChain(new.target) })
  }

  /** Whether `value` is of this class, or of the same class in another copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (!Object.hasOwn(this, 'kind'))
      return Function.prototype[Symbol.hasInstance].call(this, value)
    return classNamesOf(value).includes(this.kind)
  }

  /** The error as a client may read it; from status 500 up a fixed sentence stands for the message. */
  toJSON(): ErrorBody {
    return {
      status: this.status,
      message: this.status < 500 ? this.message : publicMessage(this.status),
    }
  }
}

/** Whether `value` is an error of this library, of whichever copy of the package. */
export function isVaultError(value: unknown): value is VaultError {
  return classNamesOf(value).includes('VaultError')
}

/** 400: the input breaks the contract; `issues` say where. */
export class InvalidInputError extends VaultError {
  static override readonly kind: string = 'InvalidInputError'
  /** Every place that was found wrong; at least one. */
  readonly issues: readonly InputIssue[]

  /** `message` is said in place of the issues' own words where the contract fixes the sentence. */
  constructor(issues: readonly InputIssue[], message: string = describe(issues)) {
    super('INVALID_INPUT', message)
    this.issues = issues
  }

  /** The error of one place; `sentence` is the whole message where the contract fixes it. */
  static at(path: string, message: string, sentence?: string): InvalidInputError {
    return new InvalidInputError([{ path, message }], sentence)
  }
}

/** 401: nobody asks, or nobody the vault knows. */
export class UnauthorizedError extends VaultError {
  static override readonly kind: string = 'UnauthorizedError'
  constructor(message = 'Invalid bearer token') {
    super('UNAUTHORIZED', message)
  }
}

/** 403: the caller lacks a right to the vault. The message is the same whether or not the vault exists. */
export class ForbiddenError extends VaultError {
  static override readonly kind: string = 'ForbiddenError'
  /** `missing` is the right that the caller lacks; undefined if it has neither. */
  constructor(vaultId: string, missing?: 'read' | 'write') {
    const purpose =
      missing === undefined ? '' : ` for ${missing === 'read' ? 'reading' : 'writing'}`
    super('FORBIDDEN', `${named('vault', vaultId)} is not in scope${purpose}`)
  }
}

/** What may not be there. */
export type ResourceType = 'vault' | 'item' | 'file' | 'version'

/** 404: what the caller named is not there. */
export class NotFoundError extends VaultError {
  static override readonly kind: string = 'NotFoundError'
  /** What kind of thing was looked for. */
  readonly resource: ResourceType
  /** The id it was looked for under; the number of a version. */
  readonly id: string

  constructor(resource: ResourceType, id: string) {
    super('NOT_FOUND', `${named(resource, id)} not found`)
    this.resource = resource
    this.id = id
  }
}

/** 409: the place is taken, or too many others changed it at the same time; trying again later may succeed. */
export class ConflictError extends VaultError {
  static override readonly kind: string = 'ConflictError'
  constructor(message: string) {
    super('CONFLICT', message)
  }
}

/** 412: what is stored is not at the version that the caller has seen. */
export class PreconditionFailedError extends VaultError {
  static override readonly kind: string = 'PreconditionFailedError'
  constructor(id: string, resource: ResourceType = 'item') {
    super('PRECONDITION_FAILED', `${resource} ${id} is not at the expected version`)
  }
}

/** 413: a file is too large to be inlined, a request's body to be read, or many items to be answered in one call. */
export class ContentTooLargeError extends VaultError {
  static override readonly kind: string = 'ContentTooLargeError'
  constructor(message: string) {
    super('CONTENT_TOO_LARGE', message)
  }
}

/**
 * 500 or 503: a store failed, or holds what no vault wrote. Whether a write happened is open, but for
 * `ACTIVITY_UNAVAILABLE`: nothing was done, because it could not be recorded.
 */
export class StorageError extends VaultError {
  static override readonly kind: string = 'StorageError'

  /** `cause` must not have seen a record: pass a driver's error through `withoutSecrets`. */
  constructor(
    message: string,
    options: {
      readonly code?:
        | 'STORAGE_FAILED'
        | 'STORAGE_UNAVAILABLE'
        | 'DECRYPTION_FAILED'
        | 'ACTIVITY_UNAVAILABLE'
      readonly cause?: unknown
    } = {},
  ) {
    super(options.code ?? 'STORAGE_FAILED', message, options.cause)
  }
}

/** 500: a record could not be opened. The same error for every reason. */
export class DecryptionError extends StorageError {
  static override readonly kind: string = 'DecryptionError'
  constructor() {
    super('the record could not be opened', { code: 'DECRYPTION_FAILED' })
  }
}

/** 500: the source of randomness gave nothing that a value could be made of. */
export class GenerationError extends VaultError {
  static override readonly kind: string = 'GenerationError'
  constructor() {
    super('GENERATION_FAILED', 'the source of randomness does not yield a value')
  }
}

/** 404, 405, 408, 415, 429 or 503 of the transport; only the HTTP mount throws it, and 429 who limits requests. */
export class HttpError extends VaultError {
  static override readonly kind: string = 'HttpError'
  /** Headers that belong to the answer, such as `Allow`. */
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code:
      | 'ROUTE_NOT_FOUND'
      | 'METHOD_NOT_ALLOWED'
      | 'REQUEST_TIMEOUT'
      | 'UNSUPPORTED_MEDIA_TYPE'
      | 'TOO_MANY_REQUESTS'
      | 'AUTHENTICATION_UNAVAILABLE',
    message: string,
    options: { readonly headers?: Readonly<Record<string, string>>; readonly cause?: unknown } = {},
  ) {
    super(code, message, options.cause)
    this.headers = options.headers ?? {}
  }
}

/** The resource with its id; without it if the id has characters or a length that no id has. */
function named(resource: ResourceType, id: string): string {
  return /^[\w-]{1,64}$/.test(id) ? `${resource} ${id}` : resource
}

function classNamesOf(value: unknown): readonly string[] {
  const kinds = safeGet(value, brand)
  return Array.isArray(kinds) ? kinds : []
}

/** A member of whatever was thrown; undefined if there is none, or if looking at it throws. */
export function safeGet(value: unknown, key: PropertyKey): unknown {
  try {
    return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
  } catch {
    return undefined
  }
}

/** The kinds of a class and of those it extends. */
function classChain(made: typeof VaultError): readonly string[] {
  return made === VaultError ? [made.kind] : [made.kind, ...classChain(Object.getPrototypeOf(made))]
}

function describe(issues: readonly InputIssue[]): string {
  return issues
    .map(({ path, message }) => (path === '' ? message : `${path} ${message}`))
    .join('; ')
}
