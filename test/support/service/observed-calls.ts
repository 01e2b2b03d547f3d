/** Every operation as a call that succeeds on a new test vault, and what is recorded of it. */

import { createCallbackActivityLog } from '../../../src/activity.js'
import type { Target } from '../../../src/core/operation/define-operation.js'
import { operations } from '../../../src/core/operations.js'
import type {
  ActivityEntry,
  ActivityLog,
  Caller,
  MethodName,
  VaultService,
} from '../../../src/index.js'
import { vaultSchema } from '../../../src/schema/vault.js'
import { outputs } from '../../../tools/openapi/operations.js'
import { type CallRef, exampleInput } from './operation-examples.js'
import { callOperation } from './vault-calls.js'

/** A call that succeeds. */
export interface ObservedCall {
  readonly name: MethodName
  run(service: VaultService, caller: Caller | undefined, ref: CallRef): Promise<unknown>
}

/** The id of the vault that `createVault` creates here. */
export const newVaultId = 'n'.repeat(26)

/** The calls of all operations. */
export const observedCalls: readonly ObservedCall[] = Object.values(operations).map(({ name }) => ({
  name,
  run: (service, caller, ref) =>
    callOperation(service, name, caller, {
      ...exampleInput(name, ref),
      ...(name === 'createVault' && { vaultId: newVaultId }),
    }),
}))

/** What the activity entry of a call contains. */
interface ExpectedEntry extends Pick<ActivityEntry, 'action'> {
  readonly type: 'ITEM' | 'VAULT'
  /** The smallest resource that the entry names. */
  readonly names: 'nothing' | 'vault' | 'item'
  /** The version of the resource, if the call changes it, or returns all attributes of an item. */
  readonly version?: number
}

/** Returns the activity entry of the call on a new test vault, whose item is at version 3. */
export function expectedEntry(name: MethodName): ExpectedEntry {
  const { activity, target } = operations[name]
  if (activity === undefined) throw new Error(`${name} is not recorded`)
  const [action, type] = activity
  return { action, type, ...toNamed(name, type, target), ...toVersion(name, action, type) }
}

function toNamed(
  name: MethodName,
  type: ExpectedEntry['type'],
  target: Target,
): Pick<ExpectedEntry, 'names'> {
  if (target === 'service') return { names: 'nothing' }
  const isOfItem = type === 'ITEM' && (target !== 'vault' || returnsItems(name))
  return { names: isOfItem ? 'item' : 'vault' }
}

function toVersion(
  name: MethodName,
  action: ExpectedEntry['action'],
  type: ExpectedEntry['type'],
): Pick<ExpectedEntry, 'version'> {
  const versions =
    type === 'ITEM'
      ? { CREATE: 1, READ: returnsItems(name) ? 3 : undefined, UPDATE: 4, DELETE: 3 }
      : { CREATE: 1, READ: undefined, UPDATE: returnsVault(name) ? 2 : undefined, DELETE: 1 }
  const version = versions[action]
  return version === undefined ? {} : { version }
}

function returnsVault(name: MethodName): boolean {
  return outputs[name] === vaultSchema
}

/** Returns true if the result is an item or a list of items, with their fields. */
function returnsItems(name: MethodName): boolean {
  const output: object | undefined = outputs[name]
  const { def, shape = def?.element?.shape } = Object(output)
  return 'version' in Object(shape) && 'fields' in shape
}

/** A log that collects its entries, oldest first. */
export interface SpyLog extends ActivityLog {
  readonly collected: ActivityEntry[]
}

/** Creates a log that accepts every entry, unless `onEntry` throws. */
export function createSpyLog(onEntry: (entry: ActivityEntry) => unknown = () => undefined): SpyLog {
  const collected: ActivityEntry[] = []
  const log = createCallbackActivityLog(async (entry) => {
    collected.push(entry)
    await onEntry(entry)
  })
  return { ...log, collected }
}

/** Returns the calls of a recording store that change it. */
export function pickWrites(calls: readonly string[]): string[] {
  return calls.filter((call) => /\.(?:put|write|delete)$/.test(call))
}
