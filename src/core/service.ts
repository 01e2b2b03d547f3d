/** Makes a vault service: every operation, bound to one store. */

import type { Item } from '../schema/item.js'
import type { OperationName } from '../schema/operations.js'
import { attachFile } from './attach-file.js'
import { type Caller, isCaller } from './caller.js'
import { createContext, type VaultServiceOptions } from './context.js'
import { createItem } from './create-item.js'
import { createVault } from './create-vault.js'
import { deleteItem } from './delete-item.js'
import { deleteVault } from './delete-vault.js'
import { getFileDetails } from './get-file-details.js'
import { getItem } from './get-item.js'
import { getItems } from './get-items.js'
import { getVault } from './get-vault.js'
import { getVersion } from './get-version.js'
import { listActivity } from './list-activity.js'
import { listFiles } from './list-files.js'
import { listItems } from './list-items.js'
import { listVaults } from './list-vaults.js'
import { listVersions } from './list-versions.js'
import { type Operation, observed } from './observe-call.js'
import { patchItem } from './patch-item.js'
import { readFileContent } from './read-file-content.js'
import type { FoundItem } from './read-item.js'
import { vaultKey } from './read-vault.js'
import { type Asker, createCallRecorder } from './record-activity.js'
import { removeFile } from './remove-file.js'
import { replaceItem } from './replace-item.js'
import { restoreVersion } from './restore-version.js'
import { setItemState } from './set-item-state.js'
import { sweepBlobs } from './sweep-blobs.js'
import { updateVault } from './update-vault.js'
import type { VaultService } from './vault-service.js'

/** An operation as it is offered: bound to a store. */
type Offered<Input, Result> = (caller: Caller | undefined, input: Input) => Promise<Result>

/** The variant of an operation that returns each item together with its JSON as it is stored. */
export type Describe = Offered<never, FoundItem | readonly FoundItem[]>

const describers = new WeakMap<object, Describe>()

/**
 * Records in the activity log that a call was refused before its operation was asked.
 * @throws StorageError of 503 if it cannot be recorded.
 */
export type RecordRefusal = (
  operation: OperationName,
  asker: Asker,
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
  const { activity, counts } = context
  if (activity !== undefined)
    refusalRecorders.set(counts, (operation, asker, input, error) =>
      createCallRecorder(context, activity, operation, asker, input).refusal(error),
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
    operation: Operation<Input, FoundItem>,
  ): Offered<Input, Item> {
    const find = offer(name, operation)
    const offered: Offered<Input, Item> = async (caller, input) => (await find(caller, input)).item
    describers.set(offered, find as Describe)
    return offered
  }

  const findItems = offer('getItems', getItems)
  const offeredItems: VaultService['getItems'] = async (caller, input) =>
    (await findItems(caller, input)).map(({ item }) => item)
  describers.set(offeredItems, findItems as Describe)

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
    sweepBlobs: offer('sweepBlobs', sweepBlobs),
    deleteVault: offer('deleteVault', deleteVault),
    getItems: offeredItems,
    listFiles: offer('listFiles', listFiles),
    listVaults: offer('listVaults', listVaults),
    removeFile: offer('removeFile', removeFile),
    updateVault: offer('updateVault', updateVault),
    listActivity: offer('listActivity', listActivity),
    on: context.events.on,
    async checkStore() {
      await context.store.records.get(vaultKey('health'))
    },
    counts,
    dialect: context.dialect,
    // Unchecked: an answer that was read needs no time that can be stored.
    now: options.now ?? (() => new Date()),
  }
}

/**
 * What describes the answers of `operation`, if it is this library's own: the text that was stored can be the text that
 * is answered. Undefined for an operation that somebody has wrapped, and for one that does not answer whole items.
 */
export function describerOf(operation: object): Describe | undefined {
  return describers.get(operation)
}

/**
 * What records the refusals of a service, also where somebody has wrapped its operations: those are called for callers
 * only. Undefined if there is no activity log.
 */
export function refusalRecorderOf({ counts }: VaultService): RecordRefusal | undefined {
  return refusalRecorders.get(counts)
}
