/** Every operation as a call that succeeds on a fresh test vault, and what stands in the activity log of it. */

import type { OperationName } from '../../../src/core/vault-service.js'
import type { ActivityEntry, ActivityLog, Caller, VaultService } from '../../../src/index.js'
import { createCallbackActivityLog } from '../../../src/index.js'
import type { TestVault } from '../../../src/testing.js'
import { type CallPlace, vaultCalls } from './vault-calls.js'

/** An operation as a call that succeeds. */
export interface ObservedCall {
  readonly name: OperationName
  run(service: VaultService, caller: Caller | undefined, ref: CallPlace): Promise<unknown>
}

/** The vault that `createVault` makes here. */
export const newVaultId = 'n'.repeat(26)

/** All of them. */
export const observedCalls: readonly ObservedCall[] = [
  {
    name: 'createVault',
    run: (service, caller) => service.createVault(caller, { name: 'New', vaultId: newVaultId }),
  },
  { name: 'listVaults', run: (service, caller) => service.listVaults(caller, {}) },
  { name: 'listActivity', run: (service, caller) => service.listActivity(caller, {}) },
  ...vaultCalls.map(({ name, run }) => ({ name: name as OperationName, run })),
]

/** Where the calls go on a test vault. */
export function placeOf({ vaultId, item, smallFile }: TestVault): CallPlace {
  return { vaultId, itemId: item.id, fileId: smallFile.id }
}

type Named = 'nothing' | 'vault' | 'item'

/** What each is recorded as on a fresh test vault, whose item is at version 3. */
export const recordedAs: Readonly<
  Record<OperationName, readonly [ActivityEntry['action'], 'ITEM' | 'VAULT', Named, number?]>
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
  getItems: ['READ', 'ITEM', 'item', 3],
  replaceItem: ['UPDATE', 'ITEM', 'item', 4],
  patchItem: ['UPDATE', 'ITEM', 'item', 4],
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

/** A log that writes down what it is told, oldest first. */
export interface SpyLog extends ActivityLog {
  readonly told: ActivityEntry[]
}

/** A log that takes everything, unless `refuse` throws. */
export function spyLog(refuse: (entry: ActivityEntry) => unknown = () => undefined): SpyLog {
  const told: ActivityEntry[] = []
  const log = createCallbackActivityLog(async (entry) => {
    told.push(entry)
    await refuse(entry)
  })
  return { ...log, told }
}

/** Which calls of a recording store have changed it. */
export function changesAmong(calls: readonly string[]): string[] {
  return calls.filter((call) => /\.(?:put|write|delete)$/.test(call))
}
