/**
 * Every error that the library throws on purpose, except the TypeErrors and RangeErrors for invalid
 * options.
 *
 * An error has three readers. Code reads `code` and `status`. The client reads `message`, which
 * never contains a value that was sent or stored. The operator reads `cause`, which never leaves
 * the process.
 */

import { safeGet } from './base/safe-get.js'

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
abstract class VaultErrorBase<Code extends ErrorCode = ErrorCode> extends Error {
  static {
    Object.defineProperty(this, 'name', { value: 'VaultError' })
  }
  /** The name of the class, the same in every copy of the package and after minification. */
  static readonly kind: string = 'VaultError'
  /** Identifies the error. Codes are stable, messages are not. */
  readonly code: Code
  /** The HTTP status of the code, 400 to 599. */
  readonly status: number

  protected constructor(code: Code, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = errorStatuses[code]
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
 * An error of the library. `code` identifies its class: after `error.code === 'NOT_FOUND'`,
 * TypeScript knows that `error.resource` exists.
 */
export type VaultError =
  | InvalidInputError
  | UnauthorizedError
  | ForbiddenError
  | SecretUseError
  | NotFoundError
  | RouteNotFoundError
  | MethodNotAllowedError
  | RequestTimeoutError
  | ConflictError
  | ReconnectRequiredError
  | PreconditionFailedError
  | ContentTooLargeError
  | CredentialRejectedError
  | CredentialUnverifiedError
  | UnsupportedMediaTypeError
  | TooManyRequestsError
  | StorageError
  | DecryptionError
  | GenerationError
  | RuleError
  | StorageUnavailableError
  | ActivityUnavailableError
  | AuthenticationUnavailableError

/**
 * The class that all errors of the library extend, for `instanceof`. It has no direct instances.
 */
export const VaultError: {
  readonly name: string
  readonly prototype: VaultErrorBase
  /** Narrows to the union of all errors of the library. */
  [Symbol.hasInstance](value: unknown): value is VaultError
} = VaultErrorBase

/**
 * Checks whether a value is an error of the library.
 * @returns True for its errors, including those of another copy of the package.
 */
export function isVaultError(value: unknown): value is VaultError {
  return classNamesOf(value).includes('VaultError')
}

/** A part of an input that is invalid. */
export interface InputIssue {
  /**
   * Names and indices from the root of the input, joined by `/`, such as `fields/2/type`. Empty for
   * the input itself.
   */
  readonly path: string
  /** The problem, without the value. */
  readonly message: string
}

/** 400 (`INVALID_INPUT`): the input breaks a rule. `issues` lists every problem. */
export class InvalidInputError extends VaultErrorBase<'INVALID_INPUT'> {
  static override readonly kind: string = 'InvalidInputError'
  /** Every problem that was found; at least one. */
  readonly issues: readonly InputIssue[]

  /**
   * By default the message lists the issues. Pass `message` where the contract fixes the sentence.
   */
  constructor(issues: readonly InputIssue[], message: string = describe(issues)) {
    super('INVALID_INPUT', message)
    this.issues = issues
  }

  /**
   * Creates the error of a single issue. Pass `sentence` as the message where the contract fixes
   * it.
   */
  static at(path: string, message: string, sentence?: string): InvalidInputError {
    return new this([{ path, message }], sentence)
  }
}

/** 401 (`UNAUTHORIZED`): the caller is missing or unknown. */
export class UnauthorizedError extends VaultErrorBase<'UNAUTHORIZED'> {
  static override readonly kind: string = 'UnauthorizedError'
  constructor(message = 'Invalid bearer token') {
    super('UNAUTHORIZED', message)
  }
}

/**
 * 403 (`FORBIDDEN`): the caller does not have the permission for the vault. The message is the same
 * whether or not the vault exists.
 */
export class ForbiddenError extends VaultErrorBase<'FORBIDDEN'> {
  static override readonly kind: string = 'ForbiddenError'
  /**
   * `missing` is the permission that the caller does not have; undefined if they have neither. By
   * default the message names the vault. `message` replaces it.
   */
  constructor(
    vaultId: string,
    missing?: 'read' | 'write' | 'create',
    message: string = describeScope(vaultId, missing),
  ) {
    super('FORBIDDEN', message)
  }

  /** Creates the error that your own rule throws. The client receives `message`. */
  static because(message: string): ForbiddenError {
    return new this('', undefined, message)
  }
}

/**
 * Why the use of a secret is refused. `REFUSED` means that your own rule refused it.
 * `docs/errors.md` explains each reason.
 */
export type SecretUseReason =
  | 'REFUSED'
  | 'NO_REFERENCE'
  | 'USER_INFO'
  | 'NOT_HTTPS'
  | 'METHOD'
  | 'HEADER'
  | 'SAME_NAME'
  | 'ORIGIN'
  | 'NOT_ALLOWED'
  | 'CALLER'
  | 'ATTRIBUTE'
  | 'NO_TOKENS'
  | 'REFRESH_TOKEN'
  | 'TOO_SHORT'
  | 'TOO_LONG'
  | 'CHARACTERS'
  | 'TOO_MANY_REDIRECTS'
  | 'REDIRECT_URL'
  | 'REDIRECT_VALUE'
  | 'REDIRECT_BODY'
  | 'ENCODING'

/**
 * 403 (`SECRET_USE_REFUSED`): a secret value must not be used for this request, for example because
 * its item has no URL of the request's origin.
 */
export class SecretUseError extends VaultErrorBase<'SECRET_USE_REFUSED'> {
  static override readonly kind: string = 'SecretUseError'
  /** Identifies the cause. Reasons are stable, messages are not. */
  readonly reason: SecretUseReason

  /** The default `reason` is `REFUSED`. */
  constructor(message: string, reason: SecretUseReason = 'REFUSED') {
    super('SECRET_USE_REFUSED', message)
    this.reason = reason
  }
}

/** The type of a resource that an error is about. */
export type ResourceType = 'vault' | 'item' | 'section' | 'field' | 'file' | 'version' | 'grant'

/** 404 (`NOT_FOUND`): the vault, item, section, field, file, version or grant does not exist. */
export class NotFoundError extends VaultErrorBase<'NOT_FOUND'> {
  static override readonly kind: string = 'NotFoundError'
  /** The type of the resource that does not exist. */
  readonly resource: ResourceType
  /**
   * The id of the resource. For a version, its number; for a grant, its key; for something that was
   * looked up by name, the name.
   */
  readonly id: string

  /** By default the message names the resource and its id. `message` replaces it. */
  constructor(resource: ResourceType, id: string, message = `${named(resource, id)} not found`) {
    super('NOT_FOUND', message)
    this.resource = resource
    this.id = id
  }
}

/**
 * 409 (`CONFLICT`): the id is taken, or in every attempt a concurrent writer changed the record
 * first.
 */
export class ConflictError extends VaultErrorBase<'CONFLICT'> {
  static override readonly kind: string = 'ConflictError'
  /**
   * `exists` if the id of the new vault or item is taken. `races` if concurrent calls won, so a
   * later retry can succeed.
   */
  readonly reason: 'exists' | 'races'

  /** The default `reason` is `races`. */
  constructor(
    message: string,
    reason: 'exists' | 'races' = 'races',
    options: ConflictErrorOptions = {},
  ) {
    super('CONFLICT', message, options.cause)
    this.reason = reason
  }
}

/** Options of a `ConflictError`. */
export interface ConflictErrorOptions {
  /**
   * For the operator. In a transaction of the application, its `code` is the SQLSTATE: `40001` or
   * `40P01`.
   */
  readonly cause?: unknown
}

/**
 * Why a grant must be connected again:
 * - `refused`: the provider no longer accepts the refresh token
 * - `interrupted`: an earlier refresh was cut off, and the provider no longer accepts the old token
 * - `expired`: the access token has expired, and there is no refresh token
 * - `rejected`: an API rejected the access token, and the provider issued the same one again
 * - `revoked`: `revoke` was called
 */
export type ReconnectReason = 'refused' | 'interrupted' | 'expired' | 'rejected' | 'revoked'

/**
 * 409 (`RECONNECT_REQUIRED`): the OAuth grant can no longer be refreshed, or a refresh only returns
 * an access token that an API has rejected. Its owner must give the provider's consent again.
 */
export class ReconnectRequiredError extends VaultErrorBase<'RECONNECT_REQUIRED'> {
  static override readonly kind: string = 'ReconnectRequiredError'
  /** The key of the grant in its source: `vaultId/itemId` for a grant in an item. */
  readonly grant: string
  readonly reason: ReconnectReason

  constructor(grant: string, reason: ReconnectReason) {
    super('RECONNECT_REQUIRED', `${named('grant', grant)}: ${reconnectMessages[reason]}`)
    this.grant = grant
    this.reason = reason
  }
}

const reconnectMessages: Readonly<Record<ReconnectReason, string>> = {
  refused: 'the provider no longer accepts the grant',
  interrupted: 'the provider no longer accepts the grant after an interrupted refresh',
  expired: 'the access token has expired, and there is no refresh token',
  rejected: 'the provider has issued the rejected access token again',
  revoked: 'the grant has been revoked',
}

/** 412 (`PRECONDITION_FAILED`): the stored version is not the version that the caller expects. */
export class PreconditionFailedError extends VaultErrorBase<'PRECONDITION_FAILED'> {
  static override readonly kind: string = 'PreconditionFailedError'
  constructor(id: string, resource: ResourceType = 'item') {
    super('PRECONDITION_FAILED', `${resource} ${id} is not at the expected version`)
  }
}

/**
 * 413 (`CONTENT_TOO_LARGE`): a file is too large to be inlined, the body of a request is too long,
 * or the items of one call are too large together.
 */
export class ContentTooLargeError extends VaultErrorBase<'CONTENT_TOO_LARGE'> {
  static override readonly kind: string = 'ContentTooLargeError'
  constructor(message: string) {
    super('CONTENT_TOO_LARGE', message)
  }
}

/**
 * 422 (`CREDENTIAL_REJECTED`): the provider has rejected the values of a credential. The stored
 * values were kept.
 */
export class CredentialRejectedError extends VaultErrorBase<'CREDENTIAL_REJECTED'> {
  static override readonly kind: string = 'CredentialRejectedError'
  /** `name` is the name of the credential's kind. */
  constructor(name: string) {
    super('CREDENTIAL_REJECTED', `the provider rejects the values of ${name}`)
  }
}

/**
 * 503 (`CREDENTIAL_UNVERIFIED`): the provider could not be reached to verify the values of a
 * credential, and the option `whenUnverified` refuses to store them unverified. The stored values
 * were kept.
 */
export class CredentialUnverifiedError extends VaultErrorBase<'CREDENTIAL_UNVERIFIED'> {
  static override readonly kind: string = 'CredentialUnverifiedError'
  /** `name` is the name of the credential's kind. */
  constructor(name: string) {
    super('CREDENTIAL_UNVERIFIED', `the values of ${name} could not be verified`)
  }
}

/**
 * 500 (`GENERATION_FAILED`): no value could be generated from what the source of randomness
 * returned.
 */
export class GenerationError extends VaultErrorBase<'GENERATION_FAILED'> {
  static override readonly kind: string = 'GenerationError'
  constructor() {
    super('GENERATION_FAILED', 'the source of randomness does not yield a value')
  }
}

/** Options of a `RuleError`. */
export interface RuleErrorOptions {
  /** For the operator: the error of the rule, passed through `redactError`. */
  readonly cause?: unknown
}

/**
 * 500 (`RULE_FAILED`): one of your functions that can refuse a call, such as `validateItem`, threw
 * an error that is not from this library, or returned an invalid result. The message names the
 * function.
 */
export class RuleError extends VaultErrorBase<'RULE_FAILED'> {
  static override readonly kind: string = 'RuleError'
  constructor(message: string, options: RuleErrorOptions = {}) {
    super('RULE_FAILED', message, options.cause)
  }
}

/** The codes of the classes that extend `HttpError`. */
export type HttpErrorCode =
  | 'ROUTE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'TOO_MANY_REQUESTS'
  | 'AUTHENTICATION_UNAVAILABLE'

/** Options of an `HttpError`. */
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
 * 405 (`METHOD_NOT_ALLOWED`): the path does not support this method. The header `Allow` lists those
 * that it supports.
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
 * 429 (`TOO_MANY_REQUESTS`): a rate limit was reached. Throw it from `around` or `authenticate`,
 * with the header `Retry-After`. By itself, only a relay (`createSecretRelay`) responds with it.
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

/** The codes of `StorageError` and the classes that extend it. */
export type StorageErrorCode =
  | 'STORAGE_FAILED'
  | 'STORAGE_UNAVAILABLE'
  | 'DECRYPTION_FAILED'
  | 'ACTIVITY_UNAVAILABLE'

/** Options of the errors of a store. */
export interface StorageErrorOptions {
  /**
   * For the operator. It must not contain data of a record: pass a driver's error through
   * `redactError`.
   */
  readonly cause?: unknown
}

/**
 * 500 (`STORAGE_FAILED`): the store failed, or contains data that no vault wrote. A write may or
 * may not have happened. The other errors of a store extend this class, with their own codes.
 */
export class StorageError extends VaultErrorBase<StorageErrorCode> {
  static override readonly kind: string = 'StorageError'
  /** The code of the errors of the class. */
  protected static readonly code: StorageErrorCode = 'STORAGE_FAILED'

  /**
   * `options.cause` must not contain data of a record: pass a driver's error through `redactError`.
   */
  constructor(message: string, options: StorageErrorOptions = {}) {
    super(new.target.code, message, options.cause)
  }
}

/**
 * 503 (`STORAGE_UNAVAILABLE`): the store or the key service is locked or unreachable, and may come
 * back. A write may or may not have happened.
 */
export class StorageUnavailableError extends StorageError {
  static override readonly kind: string = 'StorageUnavailableError'
  protected static override readonly code: StorageErrorCode = 'STORAGE_UNAVAILABLE'
  declare readonly code: 'STORAGE_UNAVAILABLE'
}

/**
 * 503 (`ACTIVITY_UNAVAILABLE`): the call could not be recorded in the activity log, so nothing was
 * done.
 */
export class ActivityUnavailableError extends StorageError {
  static override readonly kind: string = 'ActivityUnavailableError'
  protected static override readonly code: StorageErrorCode = 'ACTIVITY_UNAVAILABLE'
  declare readonly code: 'ACTIVITY_UNAVAILABLE'
}

/** A stored record that cannot be read: its key in the store, and its version. */
export interface UnreadableRecord {
  readonly collection: string
  readonly id: string
  /** The version with which the record can be replaced or deleted. */
  readonly version: number
}

const undecryptable = 'the record could not be decrypted: is it the key that it was encrypted with?'

/**
 * 500 (`DECRYPTION_FAILED`): a record could not be decrypted, or its content could not be parsed.
 *
 * If `record` is set, the record is *unreadable*: the key is right, but the bytes are damaged. You
 * can delete the record, and replace an item with `ifVersion`. If `record` is not set, the key may
 * be missing, denied or the wrong one. The error does not say which.
 */
export class DecryptionError extends StorageError {
  static override readonly kind: string = 'DecryptionError'
  protected static override readonly code: StorageErrorCode = 'DECRYPTION_FAILED'
  declare readonly code: 'DECRYPTION_FAILED'
  /** The record whose bytes are damaged. Not set if the key may be the reason. */
  declare readonly record?: UnreadableRecord

  /** @param reason The damaged record, or the whole message if the error is about no record. */
  constructor(reason?: UnreadableRecord | string) {
    super(typeof reason === 'object' ? describeUnreadable(reason) : (reason ?? undecryptable))
    if (typeof reason === 'object') this.record = reason
  }

  /**
   * Returns the error as a client may read it.
   * @returns The message if `record` is set, because it contains only the record's id and version.
   */
  override toJSON(): ErrorBody {
    return this.record === undefined
      ? super.toJSON()
      : { status: this.status, message: this.message }
  }
}

/**
 * Returns the names of an error's class and of the classes of the library that it extends.
 * @returns An empty array if `value` is not an error of the library.
 */
function classNamesOf(value: unknown): readonly string[] {
  const names = safeGet(value, brand)
  return Array.isArray(names) ? names : []
}

function classChain(errorClass: typeof VaultErrorBase): readonly string[] {
  const { kind } = errorClass
  return errorClass === VaultErrorBase
    ? [kind]
    : [kind, ...classChain(Object.getPrototypeOf(errorClass))]
}

/** Returns the resource with its id, or without it if no id can look like this one. */
function named(resource: ResourceType, id: string): string {
  return /^[\w/-]{1,64}$/.test(id) ? `${resource} ${id}` : resource
}

/** Names the record by its collection, as a service stores it (docs/writing-a-store.md). */
function describeUnreadable({ collection, id, version }: UnreadableRecord): string {
  const [itemId = '', archived] = id.split('.')
  const names: Readonly<Record<string, string>> = {
    vaults: named('vault', id),
    items: named('item', id),
    versions: `version ${Number(archived)} of ${named('item', itemId)}`,
  }
  const [prefix = ''] = collection.split('/')
  const name = Object.hasOwn(names, prefix) ? names[prefix] : 'a stored record'
  return `${name} cannot be read: it is damaged at version ${version}`
}

function describeScope(vaultId: string, missing?: 'read' | 'write' | 'create'): string {
  if (missing === 'create') return 'creating vaults is not in scope'
  const purpose = missing === undefined ? '' : ` for ${missing === 'read' ? 'reading' : 'writing'}`
  return `${named('vault', vaultId)} is not in scope${purpose}`
}

function describe(issues: readonly InputIssue[]): string {
  return issues
    .map(({ path, message }) => (path === '' ? message : `${path} ${message}`))
    .join('; ')
}
