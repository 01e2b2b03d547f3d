/** Checks the types of the arguments of `createHttpHandler`. */

import {
  anyFunction,
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

/**
 * Checks the service, and all options except numbers.
 * @throws TypeError that contains the argument or the option, and its type.
 */
export function assertHandlerArguments(service: VaultService, options: object): void {
  assertLike(service, anyService, 'service')
  assertOptions(options)
  const members: Readonly<Record<string, unknown>> = { ...options }
  const { authenticate, basePath = '', extensions = false, openApiDocument = {} } = members
  assertResult(authenticate, 'options.authenticate', 'bearerAuth')
  assertCallbacks(options, 'beforeOperation', 'onError', 'onUploadProgress')
  assertLike(basePath, '', 'options.basePath')
  assertLike(extensions, true, 'options.extensions')
  assertOptions(openApiDocument, 'options.openApiDocument')
}
