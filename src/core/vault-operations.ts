/** The interface of the operations on vaults, items and files. */

import type { ActivityPage } from '../schema/activity.js'
import type { FileDetails } from '../schema/file.js'
import type { FileRef } from '../schema/ids.js'
import type { Item, ItemSummary, ItemVersion } from '../schema/item.js'
import type { Vault } from '../schema/vault.js'
import type { Caller } from './access/caller.js'
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
 * The operations on vaults, items and files. Each rejects with its own errors and these:
 * - UnauthorizedError (401) if the caller is missing;
 * - InvalidInputError (400) if the input is invalid, or the result breaks a rule or a limit;
 * - ForbiddenError (403) if the caller lacks a permission on the vault, whether or not it exists;
 * - StorageError (500) if the store fails, StorageUnavailableError (503) if it does not respond, or
 *   ActivityUnavailableError (503) if the call cannot be recorded.
 *
 * None throws synchronously. A change is made completely or not at all, unless its operation says
 * otherwise. After a StorageError it is unknown whether it was made; a change that could not be
 * recorded was not made.
 */
export interface VaultOperations {
  /**
   * Creates an item with a random id and version 1. Needs write on the vault.
   * @returns The stored item, with [generated
   * values](https://github.com/cofferkit/cofferkit/blob/main/docs/contract.md#generated-values).
   * @throws NotFoundError (404) if the vault does not exist.
   * @throws ConflictError (409) if the random source repeats the id of an item.
   * @throws GenerationError (500) if the random source yields no id or value.
   */
  createItem(caller: Caller | undefined, input: CreateItemInput): Promise<Item>
  /**
   * Replaces everything of an item that a client can set; its files are kept. Needs read and write
   * on the vault. A field of which only the id is sent is a
   * [reference](https://github.com/cofferkit/cofferkit/blob/main/docs/contract.md#references-to-fields)
   * to the stored field and keeps its value.
   * @returns The item as the next version.
   * @throws InvalidInputError (400) if the item is archived, or if a reference has no stored field.
   * @throws NotFoundError (404) for the vault or the item, whichever is missing first.
   * @throws PreconditionFailedError (412) if the item's version is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won 32 times.
   * @throws GenerationError (500) if the random source yields no value.
   */
  replaceItem(caller: Caller | undefined, input: ReplaceItemInput): Promise<Item>
  /**
   * Changes a part of an item. All operations of the
   * [patch](https://github.com/cofferkit/cofferkit/blob/main/docs/contract.md#patches) apply, or
   * none of them. Needs read and write on the vault, for an empty patch too.
   * @returns The item as the next version; the stored item if the patch is empty.
   * @throws InvalidInputError (400) if the item is archived, or if an operation is invalid or its
   * path does not exist. The message contains the index and the path of the operation.
   * @throws NotFoundError (404) for the item, even if the vault does not exist.
   * @throws PreconditionFailedError (412) if the item's version is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won 32 times.
   * @throws GenerationError (500) if the random source yields no value.
   */
  patchItem(caller: Caller | undefined, input: PatchItemInput): Promise<Item>
  /**
   * Returns the details of a file. Needs read on the vault.
   * @returns The details, with `content` in base64 (RFC 4648, section 4) if `inlineFiles` is true.
   * @throws NotFoundError (404) for the file, even if the item or the vault does not exist.
   * @throws ContentTooLargeError (413) if `inlineFiles` is true and the file is larger than
   * `maxInlineFileSizeKb`.
   */
  getFileDetails(caller: Caller | undefined, input: GetFileDetailsInput): Promise<FileDetails>
  /**
   * Returns an item, archived or active. Needs read on the vault.
   * @throws NotFoundError (404) for the vault or the item, whichever is missing first.
   */
  getItem(caller: Caller | undefined, input: GetItemInput): Promise<Item>
  /**
   * Lists the items of a vault, archived and active. Needs read on the vault. The list is not a
   * snapshot: an item that is changed concurrently can be returned before or after the change.
   * @returns The items without fields, sections and files, in ascending order of their ids; empty
   * if no item exists or matches the filter.
   * @throws NotFoundError (404) if the vault does not exist.
   */
  listItems(caller: Caller | undefined, input: ListItemsInput): Promise<readonly ItemSummary[]>
  /**
   * Returns several items of a vault, archived and active. Needs read on the vault. They are read
   * concurrently and are not a snapshot.
   * @returns The items in the order of `itemIds`, without those that do not exist; empty if none of
   * them exists.
   * @throws NotFoundError (404) if the vault does not exist.
   * @throws ContentTooLargeError (413) if more than one item is requested and their records
   * together are larger than `limits.getItemsBytes`.
   */
  getItems(caller: Caller | undefined, input: GetItemsInput): Promise<readonly Item[]>
  /**
   * Archives an item, marks it as deleted, or makes it active again. Needs read and write on the
   * vault. An archived item can be read, but not changed. An item that is marked as deleted does
   * not exist for any other operation.
   * @returns The item as the next version; the stored item if it already has that state.
   * @throws NotFoundError (404) for the vault or the item, whichever is missing first.
   * @throws PreconditionFailedError (412) if the item's version is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won 32 times.
   */
  setItemState(caller: Caller | undefined, input: SetItemStateInput): Promise<Item>
  /**
   * Deletes an item permanently, with its files and its archived versions. Needs write on the
   * vault.
   * @throws NotFoundError (404) for the vault or the item, whichever is missing first.
   * @throws PreconditionFailedError (412) if the item's version is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won 32 times.
   * @throws GenerationError (500) if the random source yields no id.
   */
  deleteItem(caller: Caller | undefined, input: DeleteItemInput): Promise<void>
  /**
   * Creates a vault. Needs write on the new vault's id: without `vaultId` the id is random, so the
   * caller needs write on every vault. With `vaultId`, anything left of an earlier vault with this
   * id is deleted first.
   * @returns The stored vault, with `attributeVersion` 1.
   * @throws ConflictError (409) if the vault exists, or if concurrent writers won 32 times.
   * @throws GenerationError (500) if the random source yields no id.
   */
  createVault(caller: Caller | undefined, input: CreateVaultInput): Promise<Vault>
  /**
   * Returns a vault. Needs read on the vault.
   * @throws NotFoundError (404) if the vault does not exist.
   */
  getVault(caller: Caller | undefined, input: GetVaultInput): Promise<Vault>
  /**
   * Lists the vaults that the caller can read.
   * @returns The vaults in ascending order of their ids; empty if no vault exists, or none matches
   * the filter.
   */
  listVaults(caller: Caller | undefined, input: ListVaultsInput): Promise<readonly Vault[]>
  /**
   * Changes the name or the description of a vault. Needs read and write on the vault.
   * @returns The vault with its next `attributeVersion`; the stored vault if nothing changes.
   * @throws NotFoundError (404) if the vault does not exist.
   * @throws PreconditionFailedError (412) if its `attributeVersion` is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won 32 times.
   */
  updateVault(caller: Caller | undefined, input: UpdateVaultInput): Promise<Vault>
  /**
   * Deletes a vault permanently, with everything in it. Needs write on the vault. This is not
   * atomic: if the store or the activity log fails in between, the vault still exists with fewer
   * items and can be deleted again.
   * @throws NotFoundError (404) if the vault does not exist.
   * @throws PreconditionFailedError (412) if its `attributeVersion` is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won 32 times.
   * @throws GenerationError (500) if the random source yields no id.
   */
  deleteVault(caller: Caller | undefined, input: DeleteVaultInput): Promise<void>
  /**
   * Adds a file to an item. Needs write on the vault. If the stream of its content fails, the
   * promise rejects with the error of the stream.
   * @returns The details of the file, after its content and the item are stored.
   * @throws InvalidInputError (400) if the item is archived, or if the stream is locked, was read
   * from before or contains anything but bytes.
   * @throws NotFoundError (404) for the vault or the item, whichever is missing first.
   * @throws PreconditionFailedError (412) if the item's version is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won 32 times, or if `collectGarbage` deleted
   * the content because the upload took too long.
   * @throws GenerationError (500) if the random source yields no id.
   */
  attachFile(caller: Caller | undefined, input: AttachFileInput): Promise<FileDetails>
  /**
   * Removes a file from an item and deletes its content permanently. Needs write on the vault.
   * Archived versions still list the file.
   * @throws InvalidInputError (400) if the item is archived.
   * @throws NotFoundError (404) for the vault, the item or the file, whichever is missing first.
   * @throws PreconditionFailedError (412) if the item's version is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won 32 times.
   * @throws GenerationError (500) if the random source yields no id.
   */
  removeFile(caller: Caller | undefined, input: RemoveFileInput): Promise<void>
  /**
   * Lists the files of an item. Needs read on the vault.
   * @returns The details of the files, in the item's order; empty if it has no files. With
   * `inlineFiles`, each file that is not larger than `maxInlineFileSizeKb` has its `content`, as
   * long as the contents together fit into `limits.inlinedBytes`.
   * @throws NotFoundError (404) for the vault or the item, whichever is missing first.
   */
  listFiles(caller: Caller | undefined, input: ListFilesInput): Promise<readonly FileDetails[]>
  /**
   * Returns the content of a file. Needs read on the vault.
   * @returns The name, the size in bytes and a stream, which must be read to its end or cancelled.
   * The stream fails with a StorageError if the stored content has another length.
   * @throws NotFoundError (404) for the vault, the item or the file, whichever is missing first.
   */
  readFileContent(caller: Caller | undefined, input: FileRef): Promise<FileContent>
  /**
   * Lists the versions of an item: the current one and those that are archived (option `history`).
   * Needs read on the vault.
   * @returns The versions, newest first; at least one.
   * @throws NotFoundError (404) for the vault or the item, whichever is missing first.
   */
  listVersions(
    caller: Caller | undefined,
    input: ListVersionsInput,
  ): Promise<readonly ItemVersion[]>
  /**
   * Returns an item as it was in an archived version, or its current version. Needs read on the
   * vault.
   * @throws NotFoundError (404) for the vault, the item or the version, whichever is missing first.
   */
  getVersion(caller: Caller | undefined, input: GetVersionInput): Promise<Item>
  /**
   * Restores the content of a version as the next version of an item. Needs read and write on the
   * vault. The item keeps its current files.
   * @returns The item as the next version.
   * @throws InvalidInputError (400) if the item is archived.
   * @throws NotFoundError (404) for the vault, the item or the version, whichever is missing first.
   * @throws PreconditionFailedError (412) if the item's current version is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won 32 times.
   */
  restoreVersion(caller: Caller | undefined, input: RestoreVersionInput): Promise<Item>
  /**
   * Deletes data that crashes have left behind in a vault: contents to which no item refers, and
   * archived versions of deleted items. If the vault is deleted, everything left of it is deleted.
   * Needs write on the vault. If adding or removing a file has crashed, its item gets a next
   * version without any other change. Call this regularly on a store that outlives a process.
   * @returns The number of deleted contents, 0 or more.
   * @throws NotFoundError (404) if the vault does not exist and nothing is left of it.
   * @throws ConflictError (409) if concurrent writers won 32 times.
   */
  collectGarbage(caller: Caller | undefined, input: CollectGarbageInput): Promise<number>
  /**
   * Returns a page of the activity log (option `activity`), newest first: the entries of vaults
   * that the caller can read, and the caller's own entries that refer to no vault.
   * @returns The page; empty if there is no log, or if the log cannot list its entries.
   */
  listActivity(caller: Caller | undefined, input: ListActivityInput): Promise<ActivityPage>
}
