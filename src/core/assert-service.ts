/** Recognizes a vault service, and gives access to the function that executes its operations. */

import { kindOf, readArgument } from '../base/argument.js'
import { type Caller, toKnownCaller } from './access/caller.js'
import type { connectionOperations } from './connections/connection-operations.js'
import type { CallOptions } from './operation/call-options.js'
import type { CallRequest, RefusedCall } from './operation/execute.js'
import type { operations } from './operations.js'
import type { VaultService, VaultTransaction } from './vault-service.js'

export type { RefusedCall }

/** The operations that a service can execute, by name. */
export type Executable = typeof operations & typeof connectionOperations

/** The result of an operation, with items and contents in their stored form. */
type ResultOf<Name extends keyof Executable> = ReturnType<Executable[Name]['run']>

/** A service with the function that every call goes through. */
export interface ExecutingService extends VaultService {
  /** Executes an operation. */
  execute<Name extends keyof Executable>(name: Name, request: CallRequest): ResultOf<Name>
  /** Records a call that is refused before it can be executed. @throws `error` */
  refuse(name: keyof Executable, call: RefusedCall, error: unknown): Promise<never>
  /** True for the result of `inTransaction`. */
  readonly isTransaction: boolean
}

/**
 * Returns the request of a call in process. A promise of a caller is not awaited, because it is not
 * a caller.
 * @param input The input, with its ids.
 */
export function inProcess(
  caller: Caller | undefined,
  input: unknown,
  { onUnreadable }: CallOptions = {},
): CallRequest {
  return {
    ids: input,
    login: () => toKnownCaller(caller),
    readInput: () => input,
    onUnreadable,
  }
}

/**
 * Returns the service. Copies of a service and objects that inherit from one are refused, because
 * calls would bypass what they override.
 * @param others - The other arguments by name, to detect one that is swapped with the service.
 * @throws TypeError if it is anything but a result of `createVaultService`.
 */
export function assertService(
  service: VaultService,
  others: Readonly<Record<string, unknown>> = {},
): ExecutingService {
  const executing = assertServiceOrTransaction(service, others)
  if (executing.isTransaction)
    throw new TypeError('service must not be the result of inTransaction, which ends with it')
  return executing
}

/** Like `assertService`, but also accepts a service in the application's transaction. */
export function assertServiceOrTransaction(
  service: VaultService | VaultTransaction,
  others: Readonly<Record<string, unknown>> = {},
): ExecutingService {
  return readArgument(executingService, { service, ...others })
}

const executingService = kindOf<ExecutingService>(
  'the result of createVaultService itself: to observe or refuse calls, use its option around',
  (value) => typeof Object.getOwnPropertyDescriptor(Object(value), 'execute')?.value === 'function',
)
