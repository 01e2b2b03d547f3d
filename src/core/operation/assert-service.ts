/** Recognizes a vault service, and gives access to its operations as values. */

import type { AnyOperation } from '../define-operation.js'
import type { OperationName, VaultService } from '../vault-service.js'
import type { CallRequest } from './execute.js'

/** A service with the function that every call goes through. */
export interface ExecutingService extends VaultService {
  /**
   * Executes an operation of the service, or another one.
   * @returns Its result, with items and contents in their stored form; unknown for a name.
   */
  execute<Result>(
    operation: OperationName | AnyOperation<Result>,
    request: CallRequest,
  ): Promise<Result>
}

/**
 * Returns the service. A copy and an object that inherits from a service are refused, because calls
 * would bypass what they override.
 * @throws TypeError if it is anything but a result of `createVaultService`.
 */
export function assertService(service: VaultService): ExecutingService {
  if (typeof service === 'object' && service !== null) {
    if (service instanceof Promise) throw new TypeError('service is a promise: is await missing?')
    if (isExecuting(service)) return service
  }
  throw new TypeError(
    'service must be the result of createVaultService itself: to observe or refuse calls, use its option around',
  )
}

function isExecuting(service: VaultService): service is ExecutingService {
  return typeof Object.getOwnPropertyDescriptor(service, 'execute')?.value === 'function'
}
