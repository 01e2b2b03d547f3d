/** Every operation as a call that succeeds on a new test vault, and its activity entry. */

import { createCallbackActivityLog } from '../../../src/activity.js'
import type { MethodName } from '../../../src/core/vault-service.js'
import type { ActivityEntry, ActivityLog, Caller, VaultService } from '../../../src/index.js'
import type { TestVault } from '../../../src/testing.js'
import { type CallRef, vaultCalls } from './vault-calls.js'

/** A call that succeeds. */
export interface ObservedCall {
  readonly name: MethodName
  run(service: VaultService, caller: Caller | undefined, ref: CallRef): Promise<unknown>
}

/** The id of the vault that `createVault` creates here. */
export const newVaultId = 'n'.repeat(26)

/** The calls of all operations. */
export const observedCalls: readonly ObservedCall[] = [
  {
    name: 'createVault',
    run: (service, caller) => service.createVault(caller, { name: 'New', vaultId: newVaultId }),
  },
  { name: 'listVaults', run: (service, caller) => service.listVaults(caller, {}) },
  { name: 'listActivity', run: (service, caller) => service.listActivity(caller, {}) },
  ...vaultCalls.map(({ name, run }) => ({ name: name as MethodName, run })),
]

/** Returns the ids that the calls refer to on a test vault. */
export function toCallRef({ vaultId, item, smallFile }: TestVault): CallRef {
  return { vaultId, itemId: item.id, fileId: smallFile.id }
}

type Named = 'nothing' | 'vault' | 'item'

/** The activity entry of each call on a new test vault, whose item is at version 3. */
export const expectedEntries: Readonly<
  Record<MethodName, readonly [ActivityEntry['action'], 'ITEM' | 'VAULT', Named, number?]>
> = {
  createVault: ['CREATE', 'VAULT', 'vault'],
  listVaults: ['READ', 'VAULT', 'nothing'],
  listActivity: ['READ', 'VAULT', 'nothing'],
  getVault: ['READ', 'VAULT', 'vault'],
  updateVault: ['UPDATE', 'VAULT', 'vault'],
  deleteVault: ['DELETE', 'VAULT', 'vault'],
  collectGarbage: ['UPDATE', 'VAULT', 'vault'],
  listItems: ['READ', 'VAULT', 'vault'],
  createItem: ['CREATE', 'ITEM', 'item', 1],
  getItem: ['READ', 'ITEM', 'item', 3],
  getField: ['READ', 'ITEM', 'item'],
  useField: ['READ', 'ITEM', 'item'],
  describeItem: ['READ', 'ITEM', 'item', 3],
  getItems: ['READ', 'ITEM', 'item', 3],
  replaceItem: ['UPDATE', 'ITEM', 'item', 4],
  patchItem: ['UPDATE', 'ITEM', 'item', 4],
  regenerateField: ['UPDATE', 'ITEM', 'item', 4],
  deleteItem: ['DELETE', 'ITEM', 'item', 3],
  setItemState: ['UPDATE', 'ITEM', 'item', 4],
  attachFile: ['UPDATE', 'ITEM', 'item', 4],
  removeFile: ['UPDATE', 'ITEM', 'item', 4],
  listFiles: ['READ', 'ITEM', 'item'],
  getFileDetails: ['READ', 'ITEM', 'item'],
  readFileContent: ['READ', 'ITEM', 'item'],
  listVersions: ['READ', 'ITEM', 'item'],
  getVersion: ['READ', 'ITEM', 'item', 3],
  restoreVersion: ['UPDATE', 'ITEM', 'item', 4],
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
