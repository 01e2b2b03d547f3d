/** One error of every class. */

import type { VaultError } from '../../../src/errors.js'

/** The errors module. A program that loads the package twice has two copies. */
export type ErrorModule = typeof import('../../../src/errors.js')

const id = 'a'.repeat(26)

/**
 * The name of each class, a function that creates an error with a copy of the module, and its code
 * and status.
 */
export const made: readonly [string, (from: ErrorModule) => VaultError, string, number][] = [
  [
    'InvalidInputError',
    (from) => new from.InvalidInputError([{ path: 'a/0', message: 'is bad' }]),
    'INVALID_INPUT',
    400,
  ],
  ['UnauthorizedError', (from) => new from.UnauthorizedError(), 'UNAUTHORIZED', 401],
  ['ForbiddenError', (from) => new from.ForbiddenError(id), 'FORBIDDEN', 403],
  ['NotFoundError', (from) => new from.NotFoundError('item', id), 'NOT_FOUND', 404],
  ['ConflictError', (from) => new from.ConflictError('taken'), 'CONFLICT', 409],
  [
    'PreconditionFailedError',
    (from) => new from.PreconditionFailedError(id),
    'PRECONDITION_FAILED',
    412,
  ],
  [
    'ContentTooLargeError',
    (from) => new from.ContentTooLargeError('large'),
    'CONTENT_TOO_LARGE',
    413,
  ],
  ['StorageError', (from) => new from.StorageError('broken'), 'STORAGE_FAILED', 500],
  [
    'StorageError',
    (from) => new from.StorageError('locked', { code: 'STORAGE_UNAVAILABLE' }),
    'STORAGE_UNAVAILABLE',
    503,
  ],
  [
    'StorageError',
    (from) => new from.StorageError('deaf', { code: 'ACTIVITY_UNAVAILABLE' }),
    'ACTIVITY_UNAVAILABLE',
    503,
  ],
  ['DecryptionError', (from) => new from.DecryptionError(), 'DECRYPTION_FAILED', 500],
  ['GenerationError', (from) => new from.GenerationError(), 'GENERATION_FAILED', 500],
  ['HttpError', (from) => new from.HttpError('ROUTE_NOT_FOUND', 'none'), 'ROUTE_NOT_FOUND', 404],
  [
    'HttpError',
    (from) => new from.HttpError('METHOD_NOT_ALLOWED', 'none'),
    'METHOD_NOT_ALLOWED',
    405,
  ],
  ['HttpError', (from) => new from.HttpError('REQUEST_TIMEOUT', 'slow'), 'REQUEST_TIMEOUT', 408],
  [
    'HttpError',
    (from) => new from.HttpError('UNSUPPORTED_MEDIA_TYPE', 'type'),
    'UNSUPPORTED_MEDIA_TYPE',
    415,
  ],
  [
    'HttpError',
    (from) => new from.HttpError('TOO_MANY_REQUESTS', 'slower'),
    'TOO_MANY_REQUESTS',
    429,
  ],
  [
    'HttpError',
    (from) => new from.HttpError('AUTHENTICATION_UNAVAILABLE', 'down'),
    'AUTHENTICATION_UNAVAILABLE',
    503,
  ],
]
