/** The interface of the operations on the versions of items. */

import type { Item, ItemVersion } from '../../schema/item.js'
import type { Caller } from '../access/caller.js'
import type { CallOptions } from '../operation/call-options.js'
import type { GetVersionInput } from './get-version.js'
import type { ListVersionsInput } from './list-versions.js'
import type { RestoreVersionInput } from './restore-version.js'

/** The operations on the versions of items. */
export interface VersionOperations {
  /**
   * Lists the versions of an item: the current one and those that are archived (option `history`).
   * Needs read on the vault.
   * @returns The versions, newest first. There is at least one.
   * @throws NotFoundError (404) for the vault or the item, whichever is missing first.
   */
  listVersions(
    caller: Caller | undefined,
    input: ListVersionsInput,
    options?: CallOptions,
  ): Promise<readonly ItemVersion[]>
  /**
   * Returns an item as it was in an archived version, or its current version. Needs read on the
   * vault.
   * @throws NotFoundError (404) for the vault, the item or the version, whichever is missing first.
   */
  getVersion(
    caller: Caller | undefined,
    input: GetVersionInput,
    options?: CallOptions,
  ): Promise<Item>
  /**
   * Restores the content of a version as the next version of an item. Needs read and write on the
   * vault. The item keeps its current files.
   * @returns The item as the next version.
   * @throws InvalidInputError (400) if the item is archived.
   * @throws NotFoundError (404) for the vault, the item or the version, whichever is missing first.
   * @throws PreconditionFailedError (412) if the item's current version is not `ifVersion`.
   * @throws ConflictError (409) if concurrent writers won every attempt.
   */
  restoreVersion(
    caller: Caller | undefined,
    input: RestoreVersionInput,
    options?: CallOptions,
  ): Promise<Item>
}
