/** Checks the types of the arguments of `createHttpHandler`. */

import {
  anyFunction,
  assertArgument,
  assertCallbacks,
  assertLike,
  assertOptions,
  assertResult,
} from '../assert-argument.js'
import type { VaultService } from '../core/vault-service.js'

/** Members that every service has, also one that wraps another. */
const anyService = {
  logRejectedCall: anyFunction,
  checkHealth: anyFunction,
  dialect: { formatItem: anyFunction, headers: {}, queryAliases: {} },
}

/** Functions of the mounts whose result is the option `authenticate`. */
const mountLogins = ['fromExpress', 'fromKoa', 'fromFastify', 'fromHono', 'fromFetch', 'fromNode']

const probeNames = ['heartbeat', 'health', 'metrics', 'openapi']

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
  for (const [name, access] of Object.entries(Object(probes))) {
    const isAccess = /^(?:undefined|boolean|function)$/.test(typeof access)
    assertArgument(isAccess, `options.probes.${name}`, 'a boolean or a function')
    // A route would stay open because its name is misspelt.
    assertArgument(probeNames.includes(name), `options.probes.${name}`, 'the name of a probe')
  }
}
