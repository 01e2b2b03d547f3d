/** Makes a vault service: every operation, bound to one store. */

import type { Item } from '../schema/item.js'
import type { OperationName } from '../schema/operations.js'
import { type Caller, isCaller } from './access/caller.js'
import { type Actor, createActivityRecorder } from './activity/activity-recorder.js'
import { listActivity } from './activity/list-activity.js'
import { attachFile } from './files/attach-file.js'
import { getFileDetails } from './files/get-file-details.js'
import { listFiles } from './files/list-files.js'
import { readFileContent } from './files/read-file-content.js'
import { removeFile } from './files/remove-file.js'
import { createItem } from './items/create-item.js'
import { deleteItem } from './items/delete-item.js'
import { getItem } from './items/get-item.js'
import { getItems } from './items/get-items.js'
import { listItems } from './items/list-items.js'
import { patchItem } from './items/patch-item.js'
import { replaceItem } from './items/replace-item.js'
import { setItemState } from './items/set-item-state.js'
import type { StoredItem } from './records/load-item.js'
import { vaultKey } from './records/vault-record.js'
import { type Operation, observed } from './run-operation.js'
import { createContext, type VaultServiceOptions } from './runtime/context.js'
import type { VaultService } from './vault-service.js'
import { collectGarbage } from './vaults/collect-garbage.js'
import { createVault } from './vaults/create-vault.js'
import { deleteVault } from './vaults/delete-vault.js'
import { getVault } from './vaults/get-vault.js'
import { listVaults } from './vaults/list-vaults.js'
import { updateVault } from './vaults/update-vault.js'
import { getVersion } from './versions/get-version.js'
import { listVersions } from './versions/list-versions.js'
import { restoreVersion } from './versions/restore-version.js'

/** An operation as it is offered: bound to a store. */
type Offered<Input, Result> = (caller: Caller | undefined, input: Input) => Promise<Result>

/** The variant of an operation that returns each item together with its JSON as it is stored. */
export type SerializedOperation = Offered<never, StoredItem | readonly StoredItem[]>

const describers = new WeakMap<object, SerializedOperation>()

/**
 * Records in the activity log that a call was refused before its operation was asked.
 * @throws StorageError of 503 if it cannot be recorded.
 */
export type RecordRefusal = (
  operation: OperationName,
  actor: Actor,
  input: unknown,
  error: unknown,
) => Promise<void>

const refusalRecorders = new WeakMap<object, RecordRefusal>()

/**
 * A vault service on a store. It holds nothing that the store does not hold, so any number may share one.
 * @throws RangeError if a number among the options is none that can be meant.
 */
export function createVaultService(options: VaultServiceOptions): VaultService {
  const context = createContext(options)
  const { activity, stats } = context
  if (activity !== undefined)
    refusalRecorders.set(stats, (operation, actor, input, error) =>
      createActivityRecorder(context, activity, operation, actor, input).recordFailure(error),
    )

  function offer<Input, Result>(
    name: OperationName,
    operation: Operation<Input, Result>,
  ): Offered<Input, Result> {
    return (caller, input) => {
      try {
        return observed(context, name, operation, isCaller(caller) ? caller : undefined, input)
      } catch (error) {
        // A getter or a proxy of the embedder can throw before there is a promise.
        return Promise.reject(error)
      }
    }
  }

  function offerItem<Input>(
    name: OperationName,
    operation: Operation<Input, StoredItem>,
  ): Offered<Input, Item> {
    const find = offer(name, operation)
    const offered: Offered<Input, Item> = async (caller, input) => (await find(caller, input)).item
    describers.set(offered, find as SerializedOperation)
    return offered
  }

  const findItems = offer('getItems', getItems)
  const offeredItems: VaultService['getItems'] = async (caller, input) =>
    (await findItems(caller, input)).map(({ item }) => item)
  describers.set(offeredItems, findItems as SerializedOperation)

  return {
    createItem: offerItem('createItem', createItem),
    replaceItem: offerItem('replaceItem', replaceItem),
    patchItem: offerItem('patchItem', patchItem),
    getItem: offerItem('getItem', getItem),
    getFileDetails: offer('getFileDetails', getFileDetails),
    listItems: offer('listItems', listItems),
    deleteItem: offer('deleteItem', deleteItem),
    createVault: offer('createVault', createVault),
    getVault: offer('getVault', getVault),
    attachFile: offer('attachFile', attachFile),
    readFileContent: offer('readFileContent', readFileContent),
    listVersions: offer('listVersions', listVersions),
    getVersion: offerItem('getVersion', getVersion),
    setItemState: offerItem('setItemState', setItemState),
    restoreVersion: offerItem('restoreVersion', restoreVersion),
    collectGarbage: offer('collectGarbage', collectGarbage),
    deleteVault: offer('deleteVault', deleteVault),
    getItems: offeredItems,
    listFiles: offer('listFiles', listFiles),
    listVaults: offer('listVaults', listVaults),
    removeFile: offer('removeFile', removeFile),
    updateVault: offer('updateVault', updateVault),
    listActivity: offer('listActivity', listActivity),
    on: context.events.on,
    async checkHealth() {
      await context.store.records.get(vaultKey('health'))
    },
    stats,
    dialect: context.dialect,
    // Unchecked: an answer that was read needs no time that can be stored.
    now: options.now ?? (() => new Date()),
  }
}

/**
 * What describes the answers of `operation`, if it is this library's own: the text that was stored can be the text that
 * is answered. Undefined for an operation that somebody has wrapped, and for one that does not answer whole items.
 */
export function describerOf(operation: object): SerializedOperation | undefined {
  return describers.get(operation)
}

/**
 * What records the refusals of a service, also where somebody has wrapped its operations: those are called for callers
 * only. Undefined if there is no activity log.
 */
export function refusalRecorderOf({ stats }: VaultService): RecordRefusal | undefined {
  return refusalRecorders.get(stats)
}
