/** Recognizes a vault service, and gives access to the function that executes its operations. */

import { type Caller, isCaller } from './access/caller.js'
import type { managedOperations, stepOperations } from './managed/managed-operations.js'
import type { CallOptions } from './operation/call-options.js'
import type { CallRequest, RefusedCall } from './operation/execute.js'
import type { operations } from './operations.js'
import type { VaultService } from './vault-service.js'

export type { RefusedCall }

/** The operations that a service can execute, by their names. */
export type Executable = typeof operations & typeof managedOperations & typeof stepOperations

/** The result of an operation, with items and contents in their stored form. */
type ResultOf<Name extends keyof Executable> = ReturnType<Executable[Name]['run']>

/** A service with the function that every call goes through. */
export interface ExecutingService extends VaultService {
  /** Executes an operation. */
  execute<Name extends keyof Executable>(name: Name, request: CallRequest): ResultOf<Name>
  /** Records a call that is refused before it can be executed. @throws `error` */
  refuse(name: keyof Executable, call: RefusedCall, error: unknown): Promise<never>
}

/**
 * Returns the request of a call in process. A promise of a caller is not awaited: it is no caller.
 * @param input The input, with its ids.
 */
export function inProcess(
  caller: Caller | undefined,
  input: unknown,
  { onUnreadable }: CallOptions = {},
): CallRequest {
  return {
    ids: input,
    login: () => (isCaller(caller) ? caller : undefined),
    readInput: () => input,
    onUnreadable,
  }
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
