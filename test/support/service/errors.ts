/** One error of every code. */

import type { SecretUseReason, VaultError } from '../../../src/errors.js'

/** The module of errors. A program that loads the package twice has two of them. */
export type ErrorModule = typeof import('../../../src/errors.js')

const id = 'a'.repeat(26)

/**
 * The name of a class, a function that creates an error of it from a copy of the module, its code
 * and its status.
 */
export const errorExamples: readonly [string, (from: ErrorModule) => VaultError, string, number][] =
  [
    [
      'InvalidInputError',
      (from) =>
        new from.InvalidInputError('a/0 is bad', { issues: [{ path: 'a/0', message: 'is bad' }] }),
      'INVALID_INPUT',
      400,
    ],
    ['UnauthorizedError', (from) => new from.UnauthorizedError('unknown'), 'UNAUTHORIZED', 401],
    ['ForbiddenError', (from) => new from.ForbiddenError('not yours'), 'FORBIDDEN', 403],
    ['SecretUseError', (from) => new from.SecretUseError('refused'), 'SECRET_USE_REFUSED', 403],
    [
      'NotFoundError',
      (from) => new from.NotFoundError('none', { resource: 'item', id }),
      'NOT_FOUND',
      404,
    ],
    ['ConflictError', (from) => new from.ConflictError('taken'), 'CONFLICT', 409],
    [
      'ReconnectRequiredError',
      (from) => new from.ReconnectRequiredError('ended', { grant: id, reason: 'refused' }),
      'RECONNECT_REQUIRED',
      409,
    ],
    [
      'PreconditionFailedError',
      (from) => new from.PreconditionFailedError('changed'),
      'PRECONDITION_FAILED',
      412,
    ],
    [
      'ContentTooLargeError',
      (from) => new from.ContentTooLargeError('large'),
      'CONTENT_TOO_LARGE',
      413,
    ],
    [
      'CredentialRejectedError',
      (from) => new from.CredentialRejectedError('rejected'),
      'CREDENTIAL_REJECTED',
      422,
    ],
    [
      'CredentialUnverifiedError',
      (from) => new from.CredentialUnverifiedError('unverified'),
      'CREDENTIAL_UNVERIFIED',
      503,
    ],
    ['StorageError', (from) => new from.StorageError('broken'), 'STORAGE_FAILED', 500],
    [
      'StorageUnavailableError',
      (from) => new from.StorageUnavailableError('locked'),
      'STORAGE_UNAVAILABLE',
      503,
    ],
    [
      'ActivityUnavailableError',
      (from) => new from.ActivityUnavailableError('deaf'),
      'ACTIVITY_UNAVAILABLE',
      503,
    ],
    ['DecryptionError', (from) => new from.DecryptionError('damaged'), 'DECRYPTION_FAILED', 500],
    ['GenerationError', (from) => new from.GenerationError('no value'), 'GENERATION_FAILED', 500],
    ['RuleError', (from) => new from.RuleError('validateItem failed'), 'RULE_FAILED', 500],
    [
      'RouteNotFoundError',
      (from) => new from.RouteNotFoundError('no route'),
      'ROUTE_NOT_FOUND',
      404,
    ],
    [
      'MethodNotAllowedError',
      (from) => new from.MethodNotAllowedError('none'),
      'METHOD_NOT_ALLOWED',
      405,
    ],
    ['RequestTimeoutError', (from) => new from.RequestTimeoutError('slow'), 'REQUEST_TIMEOUT', 408],
    [
      'UnsupportedMediaTypeError',
      (from) => new from.UnsupportedMediaTypeError('type'),
      'UNSUPPORTED_MEDIA_TYPE',
      415,
    ],
    [
      'TooManyRequestsError',
      (from) => new from.TooManyRequestsError('slower'),
      'TOO_MANY_REQUESTS',
      429,
    ],
    [
      'AuthenticationUnavailableError',
      (from) => new from.AuthenticationUnavailableError('down'),
      'AUTHENTICATION_UNAVAILABLE',
      503,
    ],
  ]

/** Every reason of a SecretUseError, which the compiler compares with its type. */
export const secretUseReasons = Object.keys({
  REFUSED: true,
  NO_REFERENCE: true,
  USER_INFO: true,
  NOT_HTTPS: true,
  METHOD: true,
  HEADER: true,
  SAME_NAME: true,
  ORIGIN: true,
  NOT_ALLOWED: true,
  CALLER: true,
  ATTRIBUTE: true,
  NO_TOKENS: true,
  REFRESH_TOKEN: true,
  TOO_SHORT: true,
  TOO_LONG: true,
  CHARACTERS: true,
  TOO_MANY_REDIRECTS: true,
  REDIRECT_URL: true,
  REDIRECT_VALUE: true,
  REDIRECT_BODY: true,
  ENCODING: true,
} satisfies Record<SecretUseReason, true>)
