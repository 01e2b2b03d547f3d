/** Creates a vault service: every operation, bound to a store. */

import { closeCalls, countCall } from '../base/open-calls.js'
import type { Caller } from './access/caller.js'
import type { CallOptions } from './call-options.js'
import type { AnyOperation } from './define-operation.js'
import { operations } from './operations.js'
import type { VaultServiceOptions } from './options.js'
import { vaultKey } from './records/vault-record.js'
import { runOperation } from './run-operation.js'
import { type Context, createContext } from './runtime/context.js'
import type { ServiceMethod } from './service-method.js'
import type { VaultOperations } from './vault-operations.js'
import type { VaultService } from './vault-service.js'

/**
 * Creates a vault service on a store. All state is in the store, so any number of services can
 * share one.
 * @returns The service; the store is not accessed until an operation is called.
 * @throws TypeError if an option is unknown or has the wrong type.
 * @throws RangeError if a numeric option is out of range.
 */
export function createVaultService(options: VaultServiceOptions): VaultService {
  const context = createContext(options)
  const { activity, calls } = context
  const methods = Object.values(operations).map((operation) => [
    operation.name,
    bind(context, operation),
  ])
  const service: VaultService = {
    // A type test holds the interface equal to the operations.
    ...(Object.fromEntries(methods) as VaultOperations),
    as(this: VaultService | undefined, caller) {
      // Undefined if the method was taken out of the service.
      const target = this ?? service
      const bound = Object.keys(operations).map((name) => [
        name,
        (input: unknown = {}, ...rest: unknown[]) =>
          Reflect.apply(Reflect.get(target, name), target, [caller, input, ...rest]),
      ])
      return Object.fromEntries(bound)
    },
    logRejectedCall: (operation, actor, input, error) =>
      countCall(calls, async () => {
        await activity?.start(operations[operation], actor, input).recordFailure(error)
      }),
    logAllowedCall: (operation, actor, input) =>
      countCall(calls, async () => {
        const recorder = activity?.start(operations[operation], actor, input)
        await recorder?.recordOutcome(Promise.resolve())
      }),
    on: context.events.on,
    checkHealth: () =>
      countCall(calls, async () => {
        await context.store.records.get(vaultKey('health'))
        await context.encryptionCheck.look()
      }),
    close: () => closeCalls(calls),
    stats: context.stats,
    dialect: context.dialect,
    // Not checked: nothing is stored with this time.
    now: options.now ?? context.now,
  }
  return service
}

/** Returns the method of an operation, which maps its input and its result for callers in process. */
function bind(context: Context, operation: AnyOperation): ServiceMethod {
  const { completeInput, toPublic } = operation
  const run = (
    caller: Caller | undefined,
    input: unknown,
    options?: CallOptions,
  ): Promise<unknown> => runOperation(context, operation, caller, input, options)
  const method = async (
    caller: Caller | undefined,
    input: unknown,
    options?: CallOptions,
  ): Promise<unknown> => {
    const result = await run(caller, completeInput?.(input) ?? input, options)
    return toPublic === undefined ? result : toPublic(result)
  }
  return Object.assign(method, { run: Object.assign(run, { method }) })
}
