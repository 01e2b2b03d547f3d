/** Checks the arguments of `createHttpHandler`: their types, and the ranges of numbers. */

import {
  anyFunction,
  assertArgument,
  assertCallbacks,
  assertKnown,
  assertLike,
  assertOptions,
  assertResult,
  type KnownNames,
} from '../base/assert-argument.js'
import type { VaultService } from '../core/vault-service.js'
import type { AuthenticationOptions } from './authenticate.js'
import type { ProbeAccess } from './probes.js'
import type { BodyLimits } from './read-input.js'
import type { UploadLimits } from './read-upload.js'

/** Members that every service has, also one that wraps another. */
const anyService = {
  logRejectedCall: anyFunction,
  checkHealth: anyFunction,
  dialect: { formatItem: anyFunction, headers: {}, queryAliases: {} },
}

/** Functions of the mounts whose result is the option `authenticate`. */
const mountLogins = ['fromExpress', 'fromKoa', 'fromFastify', 'fromHono', 'fromFetch', 'fromNode']

const probeNames: KnownNames<ProbeAccess> = {
  heartbeat: true,
  health: true,
  metrics: true,
  openapi: true,
}

/**
 * Checks the service, and all options except numbers.
 * @throws TypeError that contains the argument or the option, and its type.
 */
export function assertHandlerArguments(service: VaultService, options: object): void {
  assertLike(service, anyService, 'service')
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
  assertCallbacks(options, 'beforeOperation', 'onError', 'onUploadProgress', 'multipart')
  assertLike(basePath, '', 'options.basePath')
  assertLike(extensions, true, 'options.extensions')
  assertOptions(openApiDocument, 'options.openApiDocument')
  assertOptions(probes, 'options.probes')
  // A route would stay open because its name is misspelt.
  assertKnown<ProbeAccess>(Object(probes), probeNames, 'options.probes')
  for (const [name, access] of Object.entries(Object(probes))) {
    const isAccess = /^(?:undefined|boolean|function)$/.test(typeof access)
    assertArgument(isAccess, `options.probes.${name}`, 'a boolean or a function')
  }
}

/** The smallest value of each numeric option. */
const minimums = [
  ['authenticationTimeoutMs', 1],
  ['maxBodyDepth', 0],
  ['maxBodyElements', 0],
  ['maxBodyBytes', 0],
  ['bodyTimeoutMs', 1],
  ['maxFileBytes', 0],
] as const

/**
 * Checks that the numeric options are numbers and `basePath` is a prefix of `/v1`, so that a
 * mistyped or missing setting does not switch off a limit. Infinity is allowed.
 * @throws RangeError if a number is not a number or is too small, or if `basePath` is not empty and
 * does not begin with a slash or ends with one.
 */
export function validateOptions(
  options: AuthenticationOptions & BodyLimits & UploadLimits,
  basePath: string,
): void {
  for (const [name, minimum] of minimums) {
    const value: unknown = options[name]
    if (value === undefined || (typeof value === 'number' && value >= minimum)) continue
    throw new RangeError(`${name} must be a number, ${minimum} or more`)
  }
  if (basePath !== '' && (!basePath.startsWith('/') || basePath.endsWith('/')))
    throw new RangeError('basePath must begin with a slash and end without one, or be empty')
}
