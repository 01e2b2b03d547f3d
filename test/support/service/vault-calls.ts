/**
 * Every operation of the service as a call that succeeds on a test vault, and as one with an
 * invalid input. Their values say what they need and refer to.
 */

import type { AnyOperation } from '../../../src/core/operation/define-operation.js'
import { operations } from '../../../src/core/operations.js'
import type { Caller, MethodName, Permission, VaultService } from '../../../src/index.js'
import { readBytes } from '../bytes.js'
import { type CallRef, exampleInput } from './operation-examples.js'

/** One operation. */
export interface VaultCall {
  readonly name: MethodName
  readonly needs: readonly Permission[]
  /** The smallest existing resource in its input. */
  readonly names: 'vault' | 'item' | 'file'
  run(service: VaultService, caller: Caller | undefined, ref: CallRef): Promise<unknown>
}

/** An operation with an input besides its ids. */
export interface CallWithInput extends VaultCall {
  /** Makes a call with an input of which one member has a wrong type. */
  runBadBody(service: VaultService, caller: Caller | undefined, ref: CallRef): Promise<unknown>
}

const resources = { vault: 'vault', newItem: 'vault', item: 'item', file: 'file' } as const

/** The operations on existing resources; all except `createVault` and those without a vault. */
export const vaultCalls: readonly VaultCall[] = Object.values(operations).flatMap((operation) => {
  const { name, target, permissions } = operation
  if (target === 'service' || target === 'newVault') return []
  const run: VaultCall['run'] = (service, caller, ref) =>
    callOperation(service, name, caller, exampleInput(name, ref))
  return { name, needs: permissions, names: resources[target], run }
})

/** The operations with an input that a schema parses. */
export const callsWithBody: readonly CallWithInput[] = vaultCalls.flatMap((call) => {
  const { body, input }: AnyOperation = operations[call.name]
  const [member = body?.name] = Object.keys(input?.shape ?? {})
  if (member === undefined) return []
  const runBadBody: VaultCall['run'] = (service, caller, ref) => {
    const bad = { ...exampleInput(call.name, ref), [member]: Symbol('of a wrong type') }
    return callOperation(service, call.name, caller, bad)
  }
  return { ...call, runBadBody }
})

/**
 * Calls an operation. The input is not checked by the compiler.
 * @returns Its result, with the content of a file as bytes.
 */
export async function callOperation(
  service: VaultService,
  name: MethodName,
  caller: Caller | undefined,
  input: object,
): Promise<unknown> {
  const result = await service[name](caller, input as never)
  if (!isContent(result)) return result
  return { ...result, content: await readBytes(result.content) }
}

function isContent(
  result: unknown,
): result is Awaited<ReturnType<VaultService['readFileContent']>> {
  return Object(result).content instanceof ReadableStream
}

/** Valid ids of resources that do not exist. */
export const missingRef: CallRef = {
  vaultId: 'a'.repeat(26),
  itemId: 'b'.repeat(26),
  fileId: 'c'.repeat(26),
}
