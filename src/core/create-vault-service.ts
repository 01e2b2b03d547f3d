/** Creates a vault service: every operation, bound to a store. */

import { isBareObject } from '../base/argument.js'
import { asyncDispose, toClosable } from '../base/closable.js'
import { closeCalls, countCall } from '../base/open-calls.js'
import type { Caller } from './access/caller.js'
import { type Executable, type ExecutingService, inProcess } from './assert-service.js'
import { connectionOperations } from './connections/connection-operations.js'
import { type StoredFileContent, toFileContent } from './files/read-file-content.js'
import type { CallOptions } from './operation/call-options.js'
import type { AnyOperation } from './operation/define-operation.js'
import { type CallRequest, execute, refuse } from './operation/execute.js'
import { rejectUnknownInCall } from './operation/reject-unknown.js'
import { operations } from './operations.js'
import type { VaultServiceOptions } from './options.js'
import { type StoredItem, toItem } from './records/item-record.js'
import { vaultKey } from './records/vault-record.js'
import { type Context, createContext } from './runtime/context.js'
import type { VaultOperations } from './vault-operations.js'
import type { CallerOperations, VaultService } from './vault-service.js'

/**
 * Creates a vault service on a store. All state is in the store, so any number of services can
 * share it.
 * @returns The service. It does not access the store until you call an operation.
 * @throws TypeError if an option is unknown or has the wrong type.
 * @throws RangeError if a numeric option is out of range.
 * @example
 * ```ts
 * import { createCaller, createVaultService } from 'cofferkit'
 * import { createMemoryStore } from 'cofferkit/memory'
 *
 * const service = createVaultService({ store: createMemoryStore() })
 * const caller = createCaller({ id: 'wendy', vaults: '*' })
 * const { id: vaultId } = await service.createVault(caller, { name: 'Team' })
 * const item = { category: 'PASSWORD', title: 'Router' } as const
 * const { version } = await service.createItem(caller, { vaultId, item })
 * console.log(version) // 1
 * ```
 */
export function createVaultService(options: VaultServiceOptions): VaultService {
  const context = createContext(options)
  // This clock is not checked, because nothing is stored with its time.
  return toService(context, options.now ?? context.now)
}

/** Returns the service of a context. @param now The clock of the service. */
function toService(context: Context, now: () => Date): ExecutingService {
  const { calls, transaction } = context

  /** Executes an operation, in the transaction if the context has one. */
  const run = async <Result>(
    operation: AnyOperation<Result>,
    request: CallRequest,
  ): Promise<Result> => {
    if (transaction === undefined) return execute(context, operation, request)
    if (operation.joinsTransactions === false) throw outsideError(operation.name)
    return transaction.run(() => execute(context, operation, request))
  }
  /** Executes an operation for a caller in process. */
  const call = async (
    operation: AnyOperation,
    caller: Caller | undefined,
    input: unknown = {},
    options: CallOptions = {},
  ): Promise<unknown> => {
    // Read once, so that all checks see the same ids even if the object changes meanwhile.
    const given = isBareObject(input) ? { ...input } : input
    const request = {
      ...inProcess(caller, given, Object(options)),
      readInput() {
        rejectUnknownInCall(operation, Object(given), options)
        return given
      },
    }
    return toPublic(operation, await run(operation, request))
  }
  const bind = <Method>(toMethod: (operation: AnyOperation) => Method): Record<string, Method> =>
    Object.fromEntries(
      Object.entries(operations).map(([name, operation]) => [name, toMethod(operation)]),
    )

  const service: ExecutingService = {
    // A type test checks that the interface matches the operations.
    ...(bind(
      (operation) => (caller: Caller | undefined, input?: unknown, options?: CallOptions) =>
        call(operation, caller, input, options),
    ) as unknown as VaultOperations),
    as: (caller) =>
      seal(
        bind(
          (operation) => (input?: unknown, options?: CallOptions) =>
            call(operation, caller, input, options),
        ) as unknown as CallerOperations,
      ),
    // The compiler does not relate the type of the result to the name.
    execute: ((name, request) =>
      run<unknown>(executable[name], request)) as ExecutingService['execute'],
    refuse: (name, refused, error) => refuse(context, executable[name], refused, error),
    on: context.events.on,
    checkHealth: () =>
      countCall(calls, async () => {
        await context.store.records.get(vaultKey('health'))
        await context.encryptionCheck.check()
        await context.checkHealth()
      }),
    ...toClosable(() => closeCalls(calls)),
    stats: context.stats,
    dialect: context.dialect,
    now,
    isTransaction: transaction !== undefined,
    inTransaction: (client) => toService(context.inTransaction(client), now),
  }
  return seal(transaction === undefined ? service : { ...service, ...outsideMethods })
}

const refuseClose = (): Promise<void> => Promise.reject(outsideError('close'))

/** The methods, besides operations, that a service in a transaction refuses. */
const outsideMethods = {
  on: () => {
    throw outsideError('on')
  },
  checkHealth: () => Promise.reject(outsideError('checkHealth')),
  close: refuseClose,
  [asyncDispose]: refuseClose,
  inTransaction: () => {
    throw outsideError('inTransaction')
  },
} satisfies Partial<ExecutingService>

function outsideError(name: string): TypeError {
  return new TypeError(`${name} cannot be called in a transaction`)
}

const executable: Executable = { ...operations, ...connectionOperations }

/** Converts the result of an operation to what its method returns. */
function toPublic({ returns }: AnyOperation, result: unknown): unknown {
  if (returns === 'item') return toItem(result as StoredItem)
  if (returns === 'items') return (result as readonly StoredItem[]).map(toItem)
  return returns === 'content' ? toFileContent(result as StoredFileContent) : result
}

/**
 * Returns a frozen object with these members, none of which is enumerable. So a copy such as
 * `{ ...service }` has none of them, and fails instead of bypassing what it overrides.
 */
function seal<Members extends object>(members: Members): Members {
  const sealed = Object.create(Object.prototype)
  for (const name of Reflect.ownKeys(members))
    Object.defineProperty(sealed, name, { value: Reflect.get(members, name) })
  return Object.freeze(sealed)
}
