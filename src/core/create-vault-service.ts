/** Creates a vault service: every operation, bound to a store. */

import { toStream } from '../blob-content.js'
import type { Dialect } from '../dialects/dialect.js'
import { closeCalls, countCall } from '../open-calls.js'
import type { Caller } from './access/caller.js'
import type { CallOptions } from './call-options.js'
import type { AnyOperation } from './define-operation.js'
import type { StoredFileContent } from './files/read-file-content.js'
import { operations } from './operations.js'
import type { VaultServiceOptions } from './options.js'
import type { StoredItem } from './records/item-record.js'
import { vaultKey } from './records/vault-record.js'
import { runOperation } from './run-operation.js'
import { type Context, createContext } from './runtime/context.js'
import type { VaultOperations } from './vault-operations.js'
import type { VaultService } from './vault-service.js'

/** A method of the service. */
export interface BoundOperation {
  (caller: Caller | undefined, input: never, options?: CallOptions): Promise<unknown>
  /**
   * The variant for HTTP: it also returns the stored JSON of the items, or the content of a file as
   * the store has returned it. Absent unless the method returns one of these.
   */
  readonly serialized?: SerializedOperation
}

/** An operation that returns stored items or a stored content: `runOperation` with its `dialect`. */
type SerializedOperation = (
  caller: Caller | undefined,
  input: unknown,
  options?: CallOptions,
  dialect?: Dialect,
) => Promise<StoredItem | readonly StoredItem[] | StoredFileContent>

/**
 * Creates a vault service on a store. All state is in the store, so any number of services can
 * share one.
 * @returns The service; the store is not accessed until an operation is called.
 * @throws TypeError if an option has the wrong type.
 * @throws RangeError if a numeric option is out of range.
 */
export function createVaultService(options: VaultServiceOptions): VaultService {
  const context = createContext(Object(options))
  const { activity, cache, calls } = context
  const methods = Object.values(operations).map((operation) => [
    operation.name,
    bindOperation(context, operation),
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
    on: context.events.on,
    checkHealth: () =>
      countCall(calls, async () => {
        await context.store.records.get(vaultKey('health'))
      }),
    close() {
      const closing = closeCalls(calls)
      closing.then(cache?.clear)
      return closing
    },
    stats: context.stats,
    dialect: context.dialect,
    // Not checked: nothing is stored with this time.
    now: options.now ?? context.now,
  }
  return service
}

function bindOperation(context: Context, operation: AnyOperation): BoundOperation {
  const { returns, completeInput } = operation
  const run: BoundOperation = runOperation.bind(undefined, context, operation)
  if (returns === undefined) return run
  const serialized = run as SerializedOperation
  const method = async (
    caller: Caller | undefined,
    input: unknown,
    options?: CallOptions,
  ): Promise<unknown> => {
    const stored = await serialized(caller, completeInput?.(input) ?? input, options)
    if ('item' in stored) return stored.item
    if ('content' in stored) return { ...stored, content: toStream(stored.content) }
    return stored.map(({ item }) => item)
  }
  return Object.assign(method, { serialized })
}
