/**
 * Every error that the library throws on purpose, except the TypeErrors and RangeErrors for invalid
 * options.
 *
 * An error has three readers. Code reads `code` and `status`. The client reads `message`, which
 * never contains a value that was sent or stored. The operator reads `cause`, which never leaves
 * the process.
 *
 * Every class is created with the message and then options: `new ForbiddenError('your plan allows
 * 3 vaults')`. The fixed sentences of the contract are in `base/fixed-errors.ts`.
 */

import { like, list, oneOf, text } from './base/argument.js'
import { defineOptions, type OptionKinds, optional } from './base/options.js'
import {
  classNamesOf,
  type ErrorBody,
  errorOptions,
  VaultErrorBase,
  type VaultErrorOptions,
} from './errors/vault-error.js'

export {
  type ErrorBody,
  type ErrorCode,
  errorStatuses,
  publicMessage,
  type VaultErrorBase,
  type VaultErrorOptions,
} from './errors/vault-error.js'

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

/** The options that the constructor of an error takes. */
type OptionsOf<Class extends abstract new (...values: never) => unknown> = NonNullable<
  ConstructorParameters<Class>[1]
>

const issueKind = like<InputIssue>({ path: '', message: '' })

const invalidInputOptions = defineOptions({
  ...errorOptions.kinds,
  issues: optional(list('a list of issues', issueKind)),
} satisfies OptionKinds<OptionsOf<typeof InvalidInputError>>)

/** 400 (`INVALID_INPUT`): the input breaks a rule. `issues` lists every problem. */
export class InvalidInputError extends VaultErrorBase<'INVALID_INPUT'> {
  static override readonly kind: string = 'InvalidInputError'
  /** Every problem that was found; at least one. */
  readonly issues: readonly InputIssue[]

  constructor(
    message: string,
    options: VaultErrorOptions & {
      /** Every problem; at least one. By default, the message is the problem of the input itself. */
      readonly issues?: readonly InputIssue[] | undefined
    } = {},
  ) {
    const { issues = [{ path: '', message }], ...common } = invalidInputOptions.read(options)
    super('INVALID_INPUT', message, common)
    this.issues = issues
  }

  /**
   * Creates the error of one problem. `at('tags', 'must not be empty')` has the message `tags must
   * not be empty`, and an issue with the path `tags`.
   */
  static at(path: string, problem: string): InvalidInputError {
    const message = path === '' ? problem : `${path} ${problem}`
    return new this(message, { issues: [{ path, message: problem }] })
  }
}

/** 401 (`UNAUTHORIZED`): the caller is missing or unknown. */
export class UnauthorizedError extends VaultErrorBase<'UNAUTHORIZED'> {
  static override readonly kind: string = 'UnauthorizedError'
  constructor(message: string, options: VaultErrorOptions = {}) {
    super('UNAUTHORIZED', message, errorOptions.read(options))
  }
}

/**
 * 403 (`FORBIDDEN`): the caller does not have the permission for the vault, or your own rule refused
 * the call. If the permission is missing, the message is the same whether or not the vault exists.
 */
export class ForbiddenError extends VaultErrorBase<'FORBIDDEN'> {
  static override readonly kind: string = 'ForbiddenError'
  constructor(message: string, options: VaultErrorOptions = {}) {
    super('FORBIDDEN', message, errorOptions.read(options))
  }
}

const secretUseReasons = [
  'REFUSED',
  'NO_REFERENCE',
  'USER_INFO',
  'NOT_HTTPS',
  'METHOD',
  'HEADER',
  'SAME_NAME',
  'ORIGIN',
  'NOT_ALLOWED',
  'CALLER',
  'ATTRIBUTE',
  'NO_TOKENS',
  'REFRESH_TOKEN',
  'TOO_SHORT',
  'TOO_LONG',
  'CHARACTERS',
  'TOO_MANY_REDIRECTS',
  'REDIRECT_URL',
  'REDIRECT_VALUE',
  'REDIRECT_BODY',
  'ENCODING',
] as const

/**
 * Why the use of a secret is refused. `REFUSED` means that your own rule refused it.
 * `docs/errors.md` explains each reason.
 */
export type SecretUseReason = (typeof secretUseReasons)[number]

const secretUseOptions = defineOptions({
  ...errorOptions.kinds,
  reason: optional(oneOf(...secretUseReasons), 'REFUSED'),
} satisfies OptionKinds<OptionsOf<typeof SecretUseError>>)

/**
 * 403 (`SECRET_USE_REFUSED`): a secret value must not be used for this request, for example because
 * its item has no URL of the request's origin.
 */
export class SecretUseError extends VaultErrorBase<'SECRET_USE_REFUSED'> {
  static override readonly kind: string = 'SecretUseError'
  /** Identifies the cause. Reasons are stable, messages are not. */
  readonly reason: SecretUseReason

  constructor(
    message: string,
    options: VaultErrorOptions & {
      /** Default: `REFUSED`. */
      readonly reason?: SecretUseReason | undefined
    } = {},
  ) {
    const { reason, ...common } = secretUseOptions.read(options)
    super('SECRET_USE_REFUSED', message, common)
    this.reason = reason
  }
}

const resourceTypes = ['vault', 'item', 'section', 'field', 'file', 'version', 'grant'] as const

/** The type of a resource that an error is about. */
export type ResourceType = (typeof resourceTypes)[number]

const notFoundOptions = defineOptions({
  ...errorOptions.kinds,
  resource: optional(oneOf(...resourceTypes)),
  id: optional(text()),
} satisfies OptionKinds<OptionsOf<typeof NotFoundError>>)

/** 404 (`NOT_FOUND`): the vault, item, section, field, file, version or grant does not exist. */
export class NotFoundError extends VaultErrorBase<'NOT_FOUND'> {
  static override readonly kind: string = 'NotFoundError'
  /** The type of the resource that does not exist. Undefined if your own error does not name it. */
  readonly resource: ResourceType | undefined
  /**
   * The id of the resource. For a version, its number; for a grant, its key; for something that was
   * looked up by name, the name. Undefined if your own error does not name it.
   */
  readonly id: string | undefined

  constructor(
    message: string,
    options: VaultErrorOptions & {
      /** The type of the resource that does not exist. */
      readonly resource?: ResourceType | undefined
      /** The id of the resource. */
      readonly id?: string | undefined
    } = {},
  ) {
    const { resource, id, ...common } = notFoundOptions.read(options)
    super('NOT_FOUND', message, common)
    this.resource = resource
    this.id = id
  }
}

const conflictOptions = defineOptions({
  ...errorOptions.kinds,
  reason: optional(oneOf('exists', 'races'), 'races'),
} satisfies OptionKinds<OptionsOf<typeof ConflictError>>)

/**
 * 409 (`CONFLICT`): the id is taken, or in every attempt a concurrent writer changed the record
 * first. In a transaction of the application, the `code` of its `cause` is the SQLSTATE: `40001` or
 * `40P01`.
 */
export class ConflictError extends VaultErrorBase<'CONFLICT'> {
  static override readonly kind: string = 'ConflictError'
  /**
   * `exists` if the id of the new vault or item is taken. `races` if concurrent calls won, so a
   * later retry can succeed.
   */
  readonly reason: 'exists' | 'races'

  constructor(
    message: string,
    options: VaultErrorOptions & {
      /** Default: `races`. */
      readonly reason?: 'exists' | 'races' | undefined
    } = {},
  ) {
    const { reason, ...common } = conflictOptions.read(options)
    super('CONFLICT', message, common)
    this.reason = reason
  }
}

const reconnectReasons = ['refused', 'interrupted', 'expired', 'rejected', 'revoked'] as const

/**
 * Why a grant must be connected again:
 * - `refused`: the provider no longer accepts the refresh token
 * - `interrupted`: an earlier refresh was cut off, and the provider no longer accepts the old token
 * - `expired`: the access token has expired, and there is no refresh token
 * - `rejected`: an API rejected the access token, and the provider issued the same one again
 * - `revoked`: `revoke` was called
 */
export type ReconnectReason = (typeof reconnectReasons)[number]

const reconnectOptions = defineOptions({
  ...errorOptions.kinds,
  grant: text(),
  reason: oneOf(...reconnectReasons),
} satisfies OptionKinds<OptionsOf<typeof ReconnectRequiredError>>)

/**
 * 409 (`RECONNECT_REQUIRED`): the OAuth grant can no longer be refreshed, or a refresh only returns
 * an access token that an API has rejected. Its owner must give the provider's consent again.
 */
export class ReconnectRequiredError extends VaultErrorBase<'RECONNECT_REQUIRED'> {
  static override readonly kind: string = 'ReconnectRequiredError'
  /** The key of the grant in its source: `vaultId/itemId` for a grant in an item. */
  readonly grant: string
  readonly reason: ReconnectReason

  constructor(
    message: string,
    options: VaultErrorOptions & {
      /** The key of the grant in its source. */
      readonly grant: string
      readonly reason: ReconnectReason
    },
  ) {
    const { grant, reason, ...common } = reconnectOptions.read(options)
    super('RECONNECT_REQUIRED', message, common)
    this.grant = grant
    this.reason = reason
  }
}

/** 412 (`PRECONDITION_FAILED`): the stored version is not the version that the caller expects. */
export class PreconditionFailedError extends VaultErrorBase<'PRECONDITION_FAILED'> {
  static override readonly kind: string = 'PreconditionFailedError'
  constructor(message: string, options: VaultErrorOptions = {}) {
    super('PRECONDITION_FAILED', message, errorOptions.read(options))
  }
}

/**
 * 413 (`CONTENT_TOO_LARGE`): a file is too large to be inlined, the body of a request is too long,
 * or the items of one call are too large together.
 */
export class ContentTooLargeError extends VaultErrorBase<'CONTENT_TOO_LARGE'> {
  static override readonly kind: string = 'ContentTooLargeError'
  constructor(message: string, options: VaultErrorOptions = {}) {
    super('CONTENT_TOO_LARGE', message, errorOptions.read(options))
  }
}

/**
 * 422 (`CREDENTIAL_REJECTED`): the provider has rejected the values of a credential. The stored
 * values were kept.
 */
export class CredentialRejectedError extends VaultErrorBase<'CREDENTIAL_REJECTED'> {
  static override readonly kind: string = 'CredentialRejectedError'
  constructor(message: string, options: VaultErrorOptions = {}) {
    super('CREDENTIAL_REJECTED', message, errorOptions.read(options))
  }
}

/**
 * 503 (`CREDENTIAL_UNVERIFIED`): the provider could not be reached to verify the values of a
 * credential, and the option `whenUnverified` refuses to store them unverified. The stored values
 * were kept.
 */
export class CredentialUnverifiedError extends VaultErrorBase<'CREDENTIAL_UNVERIFIED'> {
  static override readonly kind: string = 'CredentialUnverifiedError'
  constructor(message: string, options: VaultErrorOptions = {}) {
    super('CREDENTIAL_UNVERIFIED', message, errorOptions.read(options))
  }
}

/**
 * 500 (`GENERATION_FAILED`): no value could be generated from what the source of randomness
 * returned.
 */
export class GenerationError extends VaultErrorBase<'GENERATION_FAILED'> {
  static override readonly kind: string = 'GenerationError'
  constructor(message: string, options: VaultErrorOptions = {}) {
    super('GENERATION_FAILED', message, errorOptions.read(options))
  }
}

/**
 * 500 (`RULE_FAILED`): one of your functions that can refuse a call, such as `validateItem`, threw
 * an error that is not from this library, or returned an invalid result. The message names the
 * function, and `cause` is its error, passed through `redactError`.
 */
export class RuleError extends VaultErrorBase<'RULE_FAILED'> {
  static override readonly kind: string = 'RuleError'
  constructor(message: string, options: VaultErrorOptions = {}) {
    super('RULE_FAILED', message, errorOptions.read(options))
  }
}

/** 404 (`ROUTE_NOT_FOUND`): no operation has this path. */
export class RouteNotFoundError extends VaultErrorBase<'ROUTE_NOT_FOUND'> {
  static override readonly kind: string = 'RouteNotFoundError'
  constructor(message: string, options: VaultErrorOptions = {}) {
    super('ROUTE_NOT_FOUND', message, errorOptions.read(options))
  }
}

/**
 * 405 (`METHOD_NOT_ALLOWED`): the path does not support this method. The header `Allow` lists those
 * that it supports.
 */
export class MethodNotAllowedError extends VaultErrorBase<'METHOD_NOT_ALLOWED'> {
  static override readonly kind: string = 'MethodNotAllowedError'
  constructor(message: string, options: VaultErrorOptions = {}) {
    super('METHOD_NOT_ALLOWED', message, errorOptions.read(options))
  }
}

/** 408 (`REQUEST_TIMEOUT`): the body of the request did not arrive in time. */
export class RequestTimeoutError extends VaultErrorBase<'REQUEST_TIMEOUT'> {
  static override readonly kind: string = 'RequestTimeoutError'
  constructor(message: string, options: VaultErrorOptions = {}) {
    super('REQUEST_TIMEOUT', message, errorOptions.read(options))
  }
}

/** 415 (`UNSUPPORTED_MEDIA_TYPE`): the headers declare a body that cannot be read. */
export class UnsupportedMediaTypeError extends VaultErrorBase<'UNSUPPORTED_MEDIA_TYPE'> {
  static override readonly kind: string = 'UnsupportedMediaTypeError'
  constructor(message: string, options: VaultErrorOptions = {}) {
    super('UNSUPPORTED_MEDIA_TYPE', message, errorOptions.read(options))
  }
}

/**
 * 429 (`TOO_MANY_REQUESTS`): a rate limit was reached. Throw it from `around` or `authenticate`,
 * with `retryAfterSeconds`. By itself, only a relay (`createSecretRelay`) responds with it.
 * @example
 * ```ts
 * import { TooManyRequestsError } from 'cofferkit'
 *
 * throw new TooManyRequestsError('too many requests', { retryAfterSeconds: 60 })
 * ```
 */
export class TooManyRequestsError extends VaultErrorBase<'TOO_MANY_REQUESTS'> {
  static override readonly kind: string = 'TooManyRequestsError'
  constructor(message: string, options: VaultErrorOptions = {}) {
    super('TOO_MANY_REQUESTS', message, errorOptions.read(options))
  }
}

/** 503 (`AUTHENTICATION_UNAVAILABLE`): `authenticate` failed, or did not settle in time. */
export class AuthenticationUnavailableError extends VaultErrorBase<'AUTHENTICATION_UNAVAILABLE'> {
  static override readonly kind: string = 'AuthenticationUnavailableError'
  constructor(message: string, options: VaultErrorOptions = {}) {
    super('AUTHENTICATION_UNAVAILABLE', message, errorOptions.read(options))
  }
}

/** The codes of `StorageError` and the classes that extend it. */
export type StorageErrorCode =
  | 'STORAGE_FAILED'
  | 'STORAGE_UNAVAILABLE'
  | 'DECRYPTION_FAILED'
  | 'ACTIVITY_UNAVAILABLE'

/**
 * 500 (`STORAGE_FAILED`): the store failed, or contains data that no vault wrote. A write may or
 * may not have happened. The other errors of a store extend this class, with their own codes.
 *
 * The `cause` must not contain data of a record: pass a driver's error through `redactError`.
 */
export class StorageError extends VaultErrorBase<StorageErrorCode> {
  static override readonly kind: string = 'StorageError'
  /** The code of the errors of the class. */
  protected static readonly code: StorageErrorCode = 'STORAGE_FAILED'

  constructor(message: string, options: VaultErrorOptions = {}) {
    super(new.target.code, message, errorOptions.read(options))
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

const decryptionOptions = defineOptions({
  ...errorOptions.kinds,
  record: optional(like<UnreadableRecord>({ collection: '', id: '', version: 0 })),
} satisfies OptionKinds<OptionsOf<typeof DecryptionError>>)

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

  constructor(
    message: string,
    options: VaultErrorOptions & {
      /** The record whose bytes are damaged. If it is set, clients read the message. */
      readonly record?: UnreadableRecord | undefined
    } = {},
  ) {
    const { record, ...common } = decryptionOptions.read(options)
    super(message, common)
    if (record !== undefined) this.record = record
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
