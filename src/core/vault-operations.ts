/**
 * The interface of the operations on vaults, items and files. It is written out instead of derived
 * from `operations`, because people read it. Type tests (test/schema/types.test.ts) keep the two
 * equal.
 */

import type { ActivityPage } from '../schema/activity-entry.js'
import type { Vault } from '../schema/vault.js'
import type { Caller } from './access/caller.js'
import type { ListActivityInput } from './activity/list-activity.js'
import type { FileOperations } from './files/file-operations.js'
import type { ItemOperations } from './items/item-operations.js'
import type { CallOptions } from './operation/call-options.js'
import type { CollectGarbageInput } from './vaults/collect-garbage.js'
import type { CreateVaultInput } from './vaults/create-vault.js'
import type { DeleteVaultInput } from './vaults/delete-vault.js'
import type { GetVaultInput } from './vaults/get-vault.js'
import type { ListVaultsInput } from './vaults/list-vaults.js'
import type { UpdateVaultInput } from './vaults/update-vault.js'
import type { VersionOperations } from './versions/version-operations.js'

/**
 * The operations on vaults, items and files. Each rejects with its own errors and with these:
 * - UnauthorizedError (401) if the caller is missing
 * - InvalidInputError (400) if the input is invalid, if it or the options have an unknown member, or
 *   if the result breaks a rule or a limit
 * - ForbiddenError (403) if the caller does not have the permission on the vault, even if the vault
 *   does not exist
 * - StorageError (500) if the store fails, StorageUnavailableError (503) if it does not respond, or
 *   ActivityUnavailableError (503) if the call cannot be recorded
 *
 * None throws synchronously. A change is made completely or not at all, unless its operation says
 * otherwise. After a StorageError, the change may or may not have been made. A change that could
 * not be recorded was not made.
 */
export interface VaultOperations extends ItemOperations, FileOperations, VersionOperations {
  /**
   * Creates a vault. By default its id is random, the caller needs the permission to create, and
   * `beforeCreateVault` is called. If you choose `vaultId`, the caller needs write on that id, and
   * anything left of an earlier vault with this id is deleted first.
   * @returns The stored vault, with `attributeVersion` 1.
   * @throws ConflictError (409) if the vault exists, or if concurrent writers won every attempt.
   * @throws GenerationError (500) if the random source yields no id.
   */
  createVault(
    caller: Caller | undefined,
    input: CreateVaultInput,
    options?: CallOptions,
  ): Promise<Vault>
  /**
   * Returns a vault. Needs read on the vault.
   * @throws NotFoundError (404) if the vault does not exist.
   */
  getVault(caller: Caller | undefined, input: GetVaultInput, options?: CallOptions): Promise<Vault>
  /**
   * Lists the vaults that the caller can read.
   * @returns The vaults, sorted or in ascending order of their ids. An empty array if none matches.
   */
  listVaults(
    caller: Caller | undefined,
    input?: ListVaultsInput,
    options?: CallOptions,
  ): Promise<readonly Vault[]>
  /**
   * Changes the name or the description of a vault. Needs read and write on the vault.
   * @returns The vault with its next `attributeVersion`, or the stored vault if nothing changes.
   * @throws NotFoundError (404) if the vault does not exist.
   * @throws PreconditionFailedError (412) if its `attributeVersion` is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won every attempt.
   */
  updateVault(
    caller: Caller | undefined,
    input: UpdateVaultInput,
    options?: CallOptions,
  ): Promise<Vault>
  /**
   * Deletes a vault permanently, with everything in it. Needs write on the vault. This is not
   * atomic. If the store or the activity log fails in between, the vault still exists with fewer
   * items, and can be deleted again. Some data remains: the ids and versions of the vault and of
   * items with chosen ids, so that the versions continue if an id is chosen again, the entries of
   * an activity log and, in an encrypted store, the vault's wrapped keys until you call that
   * store's `eraseKeys`.
   * @throws NotFoundError (404) if the vault does not exist.
   * @throws PreconditionFailedError (412) if its `attributeVersion` is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won every attempt.
   * @throws GenerationError (500) if the random source yields no id.
   */
  deleteVault(
    caller: Caller | undefined,
    input: DeleteVaultInput,
    options?: CallOptions,
  ): Promise<void>
  /**
   * Deletes data that crashes have left behind in a vault: contents to which no item refers, and
   * archived versions of deleted items. If the vault itself was deleted, everything left of it is
   * deleted. Needs write on the vault. If adding or removing a file crashed, its item gets a new
   * version that is otherwise unchanged. Call this regularly if your store outlives the process.
   * @returns The number of deleted contents, 0 or more.
   * @throws NotFoundError (404) if the vault does not exist and nothing is left of it.
   * @throws ConflictError (409) if concurrent writers won every attempt.
   */
  collectGarbage(
    caller: Caller | undefined,
    input: CollectGarbageInput,
    options?: CallOptions,
  ): Promise<number>
  /**
   * Returns a page of the activity log (option `activity`), newest first: the entries of vaults
   * that the caller can read, and the caller's own entries that refer to no vault.
   * @returns The page. It is empty if there is no log, or if the log cannot list its entries.
   */
  listActivity(
    caller: Caller | undefined,
    input?: ListActivityInput,
    options?: CallOptions,
  ): Promise<ActivityPage>
}
