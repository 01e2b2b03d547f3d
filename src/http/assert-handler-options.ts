/** Checks the options of `createHttpHandler`: their types, and the ranges of numbers. */

import {
  assertArgument,
  assertCallbacks,
  assertKnown,
  assertLike,
  assertOptions,
  assertResult,
  type KnownNames,
} from '../base/assert-argument.js'
import type { AuthenticationOptions } from './authenticate.js'
import type { ProbeAccess } from './probes.js'
import type { BodyLimits } from './read-input.js'
import type { UploadLimits } from './read-upload.js'

/** Functions of the mounts whose result is the option `authenticate`. */
export const mountLogins = [
  'fromExpress',
  'fromKoa',
  'fromFastify',
  'fromHono',
  'fromFetch',
  'fromNode',
]

const probeNames: KnownNames<ProbeAccess> = {
  heartbeat: true,
  health: true,
  metrics: true,
  openapi: true,
}

/**
 * Checks all options except numbers.
 * @throws TypeError that names the option, and its type.
 */
export function assertHandlerOptions(options: object): void {
  assertOptions(options)
  const members: Readonly<Record<string, unknown>> = { ...options }
  const {
    authenticate,
    basePath = '',
    extensions = false,
    openApiDocument = {},
    probes = {},
  } = members
  assertResult(authenticate, 'options.authenticate', 'bearerAuth', ...mountLogins)
  assertCallbacks(options, 'onError', 'onUploadProgress', 'multipart')
  assertLike(basePath, '', 'options.basePath')
  assertLike(extensions, true, 'options.extensions')
  assertOptions(openApiDocument, 'options.openApiDocument')
  assertOptions(probes, 'options.probes')
  // A misspelt name would leave a route open.
  assertKnown<ProbeAccess>(Object(probes), probeNames, 'options.probes')
  for (const [name, access] of Object.entries(Object(probes))) {
    const isAccess = /^(?:undefined|boolean|function)$/.test(typeof access)
    assertArgument(isAccess, `options.probes.${name}`, 'a boolean or a function')
  }
}

const limitNames = ['maxBodyDepth', 'maxBodyElements', 'maxBodyBytes', 'maxFileBytes'] as const
const timeoutNames = ['authenticationTimeoutMs', 'bodyTimeoutMs'] as const

/**
 * Checks the numeric options, and that `basePath` is a prefix of `/v1`, so that a mistyped or
 * missing setting does not switch off a limit.
 * @throws RangeError if a limit is not a whole number of 0 or more, a timeout is neither a number
 * of 1 or more nor Infinity, `minUploadRate` is not a number of 0 or more, or a `basePath` that is
 * not empty does not begin with a slash or ends with one.
 */
export function validateOptions(
  options: AuthenticationOptions & BodyLimits & UploadLimits,
  basePath: string,
): void {
  for (const name of limitNames) {
    const limit: unknown = options[name]
    if (limit !== undefined && !(Number.isSafeInteger(limit) && Number(limit) >= 0))
      throw new RangeError(`${name} must be a whole number of 0 or more`)
  }
  for (const name of timeoutNames) {
    const timeout: unknown = options[name]
    if (timeout !== undefined && !(typeof timeout === 'number' && timeout >= 1))
      throw new RangeError(`${name} must be a number of 1 or more`)
  }
  const { minUploadRate: rate } = options
  if (rate !== undefined && !(Number.isFinite(rate) && rate >= 0))
    throw new RangeError('minUploadRate must be a number of 0 or more')
  if (basePath !== '' && (!basePath.startsWith('/') || basePath.endsWith('/')))
    throw new RangeError('basePath must begin with a slash and end without one, or be empty')
}
