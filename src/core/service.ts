/** The vault service: every operation, bound to one store. */

import type { FileDetails } from '../schema/file.js'
import type { Item, ItemSummary, ItemVersion } from '../schema/item.js'
import type { Vault } from '../schema/vault.js'
import { type AttachFileInput, attachFile } from './attach-file.js'
import type { Caller } from './caller.js'
import { createContext, type VaultServiceOptions } from './context.js'
import { type CreateItemInput, createItem } from './create-item.js'
import { type CreateVaultInput, createVault } from './create-vault.js'
import { type DeleteItemInput, deleteItem } from './delete-item.js'
import type { FilePlace } from './find-file.js'
import { type GetFileDetailsInput, getFileDetails } from './get-file-details.js'
import { type GetItemInput, getItem } from './get-item.js'
import { type GetVaultInput, getVault } from './get-vault.js'
import { type GetVersionInput, getVersion } from './get-version.js'
import { type ListItemsInput, listItems } from './list-items.js'
import { type ListVersionsInput, listVersions } from './list-versions.js'
import { type PatchItemInput, patchItem } from './patch-item.js'
import { type FileContent, readFileContent } from './read-file-content.js'
import type { FoundItem } from './read-item.js'
import { type ReplaceItemInput, replaceItem } from './replace-item.js'
import { type RestoreVersionInput, restoreVersion } from './restore-version.js'
import { type SweepBlobsInput, sweepBlobs } from './sweep-blobs.js'

/**
 * The operations on vaults, items and files.
 *
 * Each rejects with a VaultError: UnauthorizedError without a caller, InvalidInputError for malformed ids and bodies,
 * ForbiddenError without the right, NotFoundError for what is not there, and StorageError when the store fails; what
 * else is said with the operation. Every change is whole or has not happened; after a StorageError it is open which.
 */
export interface VaultService {
  /**
   * Creates an item; needs write. Answers it as stored, with generated values (contract, section 4.1).
   * @throws ConflictError if the random source repeats an id; GenerationError if it yields no value.
   */
  createItem(caller: Caller | undefined, input: CreateItemInput): Promise<Item>
  /**
   * Replaces everything a client may set; needs read and write (contract, section 4.2). Files stay.
   * @throws PreconditionFailedError if the item is not at `ifVersion`; ConflictError when others always came first.
   */
  replaceItem(caller: Caller | undefined, input: ReplaceItemInput): Promise<Item>
  /**
   * Changes a part of an item, all operations or none; needs read and write (contract, section 4.3). An empty patch
   * answers the item as it is and writes nothing.
   * @throws PreconditionFailedError if the item is not at `ifVersion`; ConflictError when others always came first.
   */
  patchItem(caller: Caller | undefined, input: PatchItemInput): Promise<Item>
  /**
   * Answers what is known of a file, and its content in base64 if `inlineFiles`; needs read (contract, section 4.4).
   * @throws ContentTooLargeError if the content is asked for and larger than `maxInlineFileSizeKb`.
   */
  getFileDetails(caller: Caller | undefined, input: GetFileDetailsInput): Promise<FileDetails>
  /** Answers an item; needs read. */
  getItem(caller: Caller | undefined, input: GetItemInput): Promise<Item>
  /** Answers the items of a vault without fields, sections and files, ascending by id; needs read. Empty if there are none. */
  listItems(caller: Caller | undefined, input: ListItemsInput): Promise<readonly ItemSummary[]>
  /**
   * Removes an item and its files for good; needs write.
   * @throws PreconditionFailedError if the item is not at `ifVersion`; ConflictError when others always came first.
   */
  deleteItem(caller: Caller | undefined, input: DeleteItemInput): Promise<void>
  /**
   * Creates a vault; needs write on the new vault's id, so without `vaultId` write on every vault.
   * @throws ConflictError if there is a vault of that id.
   */
  createVault(caller: Caller | undefined, input: CreateVaultInput): Promise<Vault>
  /** Answers a vault; needs read. */
  getVault(caller: Caller | undefined, input: GetVaultInput): Promise<Vault>
  /**
   * Adds a file to an item; needs write. Resolves when its content and the item that names it are stored. Rejects with
   * the content's own error if its stream fails.
   * @throws ConflictError when others always came first.
   */
  attachFile(caller: Caller | undefined, input: AttachFileInput): Promise<FileDetails>
  /** Answers the bytes of a file; needs read. The stream is to be read to its end or cancelled. */
  readFileContent(caller: Caller | undefined, input: FilePlace): Promise<FileContent>
  /**
   * Answers which versions of an item there are, its own and those that are kept (option `history`), newest first;
   * needs read.
   */
  listVersions(
    caller: Caller | undefined,
    input: ListVersionsInput,
  ): Promise<readonly ItemVersion[]>
  /** Answers an item as it was in a version that is kept, or as it is; needs read. */
  getVersion(caller: Caller | undefined, input: GetVersionInput): Promise<Item>
  /**
   * Makes an item again what it was in a version that is kept, as its next version; needs read and write. Files stay
   * as they are.
   * @throws PreconditionFailedError if the item is not at `ifVersion`; ConflictError when others always came first.
   */
  restoreVersion(caller: Caller | undefined, input: RestoreVersionInput): Promise<Item>
  /**
   * Removes what a crash has left behind in a vault: contents that no item names, and versions of items that are gone.
   * Needs write. Answers how many contents there were. To be called now and then, on a store that outlives a process.
   */
  sweepBlobs(caller: Caller | undefined, input: SweepBlobsInput): Promise<number>
}

/** What an operation that answers an item may be asked for instead: the item with its JSON, as it is stored. */
export type Describe = (caller: Caller | undefined, input: never) => Promise<FoundItem>

const describers = new WeakMap<object, Describe>()

/**
 * A vault service on a store. It holds nothing that the store does not hold, so any number may share one.
 * @throws RangeError if a number among the options is none that can be meant.
 */
export function createVaultService(options: VaultServiceOptions): VaultService {
  const context = createContext(options)
  return {
    createItem: answering((caller, input) => createItem(context, caller, input)),
    replaceItem: answering((caller, input) => replaceItem(context, caller, input)),
    patchItem: answering((caller, input) => patchItem(context, caller, input)),
    getItem: answering((caller, input) => getItem(context, caller, input)),
    getFileDetails: (caller, input) => getFileDetails(context, caller, input),
    listItems: (caller, input) => listItems(context, caller, input),
    deleteItem: (caller, input) => deleteItem(context, caller, input),
    createVault: (caller, input) => createVault(context, caller, input),
    getVault: (caller, input) => getVault(context, caller, input),
    attachFile: (caller, input) => attachFile(context, caller, input),
    readFileContent: (caller, input) => readFileContent(context, caller, input),
    listVersions: (caller, input) => listVersions(context, caller, input),
    getVersion: (caller, input) => getVersion(context, caller, input),
    restoreVersion: answering((caller, input) => restoreVersion(context, caller, input)),
    sweepBlobs: (caller, input) => sweepBlobs(context, caller, input),
  }
}

/**
 * The item's JSON beside the item, if `operation` is this library's own: the text that was stored is the text that is
 * answered. Undefined for an operation that somebody has wrapped.
 */
export function describerOf(operation: object): Describe | undefined {
  return describers.get(operation)
}

function answering<Input>(
  find: (caller: Caller | undefined, input: Input) => Promise<FoundItem>,
): (caller: Caller | undefined, input: Input) => Promise<Item> {
  const operation = async (caller: Caller | undefined, input: Input): Promise<Item> =>
    (await find(caller, input)).item
  describers.set(operation, find as Describe)
  return operation
}
