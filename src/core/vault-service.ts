/** What a vault service offers: the operations, the events, and how it fares. */

import type { Dialect } from '../dialects/dialect.js'
import type { ActivityPage } from '../schema/activity.js'
import type { FileDetails } from '../schema/file.js'
import type { FileRef } from '../schema/ids.js'
import type { Item, ItemSummary, ItemVersion } from '../schema/item.js'
import type { Vault } from '../schema/vault.js'
import type { Caller } from './access/caller.js'
import type { Actor } from './activity/activity-recorder.js'
import type { ListActivityInput } from './activity/list-activity.js'
import type { AttachFileInput } from './files/attach-file.js'
import type { GetFileDetailsInput } from './files/get-file-details.js'
import type { ListFilesInput } from './files/list-files.js'
import type { FileContent } from './files/read-file-content.js'
import type { RemoveFileInput } from './files/remove-file.js'
import type { CreateItemInput } from './items/create-item.js'
import type { DeleteItemInput } from './items/delete-item.js'
import type { GetItemInput } from './items/get-item.js'
import type { GetItemsInput } from './items/get-items.js'
import type { ListItemsInput } from './items/list-items.js'
import type { PatchItemInput } from './items/patch-item.js'
import type { ReplaceItemInput } from './items/replace-item.js'
import type { SetItemStateInput } from './items/set-item-state.js'
import type { VaultEventType } from './runtime/change.js'
import type { ServiceStats } from './runtime/context.js'
import type { VaultEventListener } from './runtime/events.js'
import type { CollectGarbageInput } from './vaults/collect-garbage.js'
import type { CreateVaultInput } from './vaults/create-vault.js'
import type { DeleteVaultInput } from './vaults/delete-vault.js'
import type { GetVaultInput } from './vaults/get-vault.js'
import type { ListVaultsInput } from './vaults/list-vaults.js'
import type { UpdateVaultInput } from './vaults/update-vault.js'
import type { GetVersionInput } from './versions/get-version.js'
import type { ListVersionsInput } from './versions/list-versions.js'
import type { RestoreVersionInput } from './versions/restore-version.js'

/**
 * The operations on vaults, items and files.
 *
 * Each rejects with a VaultError: UnauthorizedError without a caller, InvalidInputError for malformed ids and bodies,
 * ForbiddenError without the right, NotFoundError for what is not there, and StorageError when the store fails; what
 * else is said with the operation. Every change is whole or has not happened; after a StorageError it is open which.
 */
export interface VaultOperations {
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
   * Answers many items in the order in which they are asked for, without those that are not there; needs read. Empty if
   * none is there.
   * @throws ContentTooLargeError if the records of more than one item are larger than `limits.getItemsBytes` together.
   */
  getItems(caller: Caller | undefined, input: GetItemsInput): Promise<readonly Item[]>
  /**
   * Archives an item, marks it as deleted, or takes it into use again where no state is given; needs read and write. An
   * archived item can be read and not changed; one that is marked as deleted is found by no other operation.
   * @throws PreconditionFailedError if the item is not at `ifVersion`; ConflictError when others always came first.
   */
  setItemState(caller: Caller | undefined, input: SetItemStateInput): Promise<Item>
  /**
   * Removes an item and its files for good; needs write.
   * @throws PreconditionFailedError if the item is not at `ifVersion`; ConflictError when others always came first.
   */
  deleteItem(caller: Caller | undefined, input: DeleteItemInput): Promise<void>
  /**
   * Creates a vault; needs write on the new vault's id, so without `vaultId` write on every vault. With `vaultId`, what
   * an earlier vault of that id has left is removed first.
   * @throws ConflictError if there is a vault of that id.
   */
  createVault(caller: Caller | undefined, input: CreateVaultInput): Promise<Vault>
  /** Answers a vault; needs read. */
  getVault(caller: Caller | undefined, input: GetVaultInput): Promise<Vault>
  /** Answers the vaults that the caller may read, ascending by id. Empty if there are none. */
  listVaults(caller: Caller | undefined, input: ListVaultsInput): Promise<readonly Vault[]>
  /**
   * Renames or describes a vault; needs read and write.
   * @throws PreconditionFailedError if its `attributeVersion` is not `ifVersion`; ConflictError when others always came
   * first.
   */
  updateVault(caller: Caller | undefined, input: UpdateVaultInput): Promise<Vault>
  /**
   * Removes a vault and everything in it for good; needs write. Not one step: when the store or the activity log fails
   * in the middle, the vault is still there with fewer items, and can be deleted again.
   * @throws ConflictError when others always came first.
   */
  deleteVault(caller: Caller | undefined, input: DeleteVaultInput): Promise<void>
  /**
   * Adds a file to an item; needs write. Resolves when its content and the item that names it are stored. Rejects with
   * the content's own error if its stream fails; a stream that is locked or was read from before is invalid input.
   * @throws ConflictError when others always came first, or when `collectGarbage` took the upload for one that has crashed.
   */
  attachFile(caller: Caller | undefined, input: AttachFileInput): Promise<FileDetails>
  /**
   * Removes a file from an item, and its content, for good; needs write. Older versions that are kept still describe it.
   * @throws PreconditionFailedError if the item is not at `ifVersion`; ConflictError when others always came first.
   */
  removeFile(caller: Caller | undefined, input: RemoveFileInput): Promise<void>
  /**
   * Answers what is known of the files of an item, in its order; needs read. With `inlineFiles` each file that is not
   * larger than `maxInlineFileSizeKb` carries its content. Empty if there are none.
   */
  listFiles(caller: Caller | undefined, input: ListFilesInput): Promise<readonly FileDetails[]>
  /** Answers the bytes of a file; needs read. The stream is to be read to its end or cancelled. */
  readFileContent(caller: Caller | undefined, input: FileRef): Promise<FileContent>
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
   * Removes what a crash has left behind in a vault: contents that no item names, and versions of items that are gone;
   * everything that is left of it where the vault itself is gone. Needs write. Answers how many contents there were. An
   * item whose upload or removal has crashed gets a version more, in which nothing else has changed. To be called now
   * and then, on a store that outlives a process.
   * @throws NotFoundError if the vault is gone and nothing is left of it; ConflictError when others always came first.
   */
  collectGarbage(caller: Caller | undefined, input: CollectGarbageInput): Promise<number>
  /**
   * Answers a part of the activity log (option `activity`), newest first: what was done to the vaults that the caller
   * may read, and his own calls that name no vault. Empty if nothing is recorded, or nothing can be listed.
   */
  listActivity(caller: Caller | undefined, input: ListActivityInput): Promise<ActivityPage>
}

/** The name of an operation of the service. */
export type OperationName = keyof VaultOperations

/** A vault service: its operations, its events and its state. */
export interface VaultService extends VaultOperations {
  /**
   * Calls `listener` on every event of `type` from now on, after its change is stored; those of one item in their
   * order, as far as this service made them. What a listener throws harms nobody. Ends when what is answered is called.
   */
  on(type: VaultEventType, listener: VaultEventListener): () => void
  /**
   * Records in the activity log that a call was rejected before its operation was run. Called by mounts: a service that
   * wraps the operations of another is then not called for callers that are not authenticated. Resolves without effect
   * if there is no activity log.
   * @throws StorageError of 503 if the log does not take the entry.
   */
  logRejectedCall(
    operation: OperationName,
    actor: Actor | undefined,
    input: unknown,
    error: unknown,
  ): Promise<void>
  /** Resolves if the store responds. @throws StorageError if it does not. */
  checkHealth(): Promise<void>
  /** What has happened since the service was made. */
  readonly stats: Readonly<ServiceStats>
  /** How bodies are read, and items answered over HTTP. */
  readonly dialect: Dialect
  /** The clock of the service. */
  readonly now: () => Date
}
