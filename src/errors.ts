/**
 * Every error that the library throws on purpose, invalid options aside.
 *
 * An error has three readers. Code reads `code` and `status`. The client reads `message`, which
 * never contains a value that was sent or stored. The operator reads `cause`, which never leaves
 * the process.
 */

import type {
  AuthenticationUnavailableError,
  MethodNotAllowedError,
  RequestTimeoutError,
  RouteNotFoundError,
  TooManyRequestsError,
  UnsupportedMediaTypeError,
} from './errors/http-errors.js'
import type {
  ActivityUnavailableError,
  DecryptionError,
  StorageError,
  StorageUnavailableError,
} from './errors/storage-errors.js'
import { classNamesOf, VaultErrorBase } from './errors/vault-error-base.js'

export {
  AuthenticationUnavailableError,
  HttpError,
  type HttpErrorCode,
  type HttpErrorOptions,
  MethodNotAllowedError,
  RequestTimeoutError,
  RouteNotFoundError,
  TooManyRequestsError,
  UnsupportedMediaTypeError,
} from './errors/http-errors.js'
export {
  ActivityUnavailableError,
  DecryptionError,
  StorageError,
  type StorageErrorCode,
  type StorageErrorOptions,
  StorageUnavailableError,
} from './errors/storage-errors.js'
export { VaultErrorBase } from './errors/vault-error-base.js'

/**
 * An error of the library. `code` identifies its class: after `error.code === 'NOT_FOUND'`,
 * TypeScript knows that `error.resource` exists.
 */
export type VaultError =
  | InvalidInputError
  | UnauthorizedError
  | ForbiddenError
  | NotFoundError
  | RouteNotFoundError
  | MethodNotAllowedError
  | RequestTimeoutError
  | ConflictError
  | PreconditionFailedError
  | ContentTooLargeError
  | UnsupportedMediaTypeError
  | TooManyRequestsError
  | StorageError
  | DecryptionError
  | GenerationError
  | StorageUnavailableError
  | ActivityUnavailableError
  | AuthenticationUnavailableError

/**
 * The class that all errors of the library extend, for `instanceof`. It has no instances of its
 * own.
 */
export const VaultError: {
  readonly name: string
  readonly prototype: VaultErrorBase
  /** Narrows to the union of all errors of the library. */
  [Symbol.hasInstance](value: unknown): value is VaultError
} = VaultErrorBase

/**
 * Checks whether a value is an error of the library.
 * @returns True also for an error of another copy of the package.
 */
export function isVaultError(value: unknown): value is VaultError {
  return classNamesOf(value).includes('VaultError')
}

/** A part of an input that is invalid. */
export interface InputIssue {
  /**
   * Names and indices from the root of the input, joined by `/`, such as `fields/2/type`; empty for
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

  /** `message` replaces the messages of the issues where the contract fixes the sentence. */
  constructor(issues: readonly InputIssue[], message: string = describe(issues)) {
    super('INVALID_INPUT', message)
    this.issues = issues
  }

  /**
   * Creates the error of a single issue. `sentence` is the whole message where the contract fixes
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
 * 403 (`FORBIDDEN`): the caller lacks a permission for the vault. The message is the same whether
 * or not the vault exists.
 */
export class ForbiddenError extends VaultErrorBase<'FORBIDDEN'> {
  static override readonly kind: string = 'ForbiddenError'
  /**
   * `missing` is the permission that the caller lacks; undefined if they have neither of read and
   * write. `message` replaces the message about the vault.
   */
  constructor(
    vaultId: string,
    missing?: 'read' | 'write' | 'create',
    message: string = describeScope(vaultId, missing),
  ) {
    super('FORBIDDEN', message)
  }

  /** Creates the error of a rule of yours. The client receives `message`. */
  static because(message: string): ForbiddenError {
    return new this('', undefined, message)
  }
}

/** The type of a resource that an error is about. */
export type ResourceType = 'vault' | 'item' | 'section' | 'field' | 'file' | 'version'

/** 404 (`NOT_FOUND`): the vault, item, section, field, file or version does not exist. */
export class NotFoundError extends VaultErrorBase<'NOT_FOUND'> {
  static override readonly kind: string = 'NotFoundError'
  /** The type of the resource that does not exist. */
  readonly resource: ResourceType
  /**
   * The id of the resource; the number of a version. For what was looked up by a name, the name.
   */
  readonly id: string

  /** `message` replaces the sentence that names the resource and its id. */
  constructor(resource: ResourceType, id: string, message = `${named(resource, id)} not found`) {
    super('NOT_FOUND', message)
    this.resource = resource
    this.id = id
  }
}

/**
 * 409 (`CONFLICT`): the id is taken, or concurrent writers changed the record first in every
 * attempt. Retrying later can succeed.
 */
export class ConflictError extends VaultErrorBase<'CONFLICT'> {
  static override readonly kind: string = 'ConflictError'
  constructor(message: string) {
    super('CONFLICT', message)
  }
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
 * or the items of one call are together too large.
 */
export class ContentTooLargeError extends VaultErrorBase<'CONTENT_TOO_LARGE'> {
  static override readonly kind: string = 'ContentTooLargeError'
  constructor(message: string) {
    super('CONTENT_TOO_LARGE', message)
  }
}

/**
 * 500 (`GENERATION_FAILED`): the source of randomness returned nothing that a value could be made
 * from.
 */
export class GenerationError extends VaultErrorBase<'GENERATION_FAILED'> {
  static override readonly kind: string = 'GenerationError'
  constructor() {
    super('GENERATION_FAILED', 'the source of randomness does not yield a value')
  }
}

/**
 * The resource with its id; without it if the id has characters or a length that no id can have.
 */
function named(resource: ResourceType, id: string): string {
  return /^[\w-]{1,64}$/.test(id) ? `${resource} ${id}` : resource
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
