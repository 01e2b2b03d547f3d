/** Calls the hooks of an operation around each change of a vault or an item. */

import type { Item } from '../../schema/item.js'
import type { Change, VaultEventType } from './change.js'

/** The hooks that one call of an operation runs around its changes. */
export interface ChangeHooks {
  /**
   * Called before a change is written. `newFileId` is the id of the file that the call adds.
   * @throws ActivityUnavailableError if it cannot be recorded; it is not written then.
   */
  readonly beforeWrite?: ((change: Change, newFileId?: string) => Promise<unknown>) | undefined
  /** Called after a change is stored. */
  afterWrite(change: Change): void
}

/**
 * Runs `write`, which makes the change, between the hooks. `afterWrite` is only called if its
 * result is truthy.
 * @returns The result of `write`; false or undefined if the change was not made.
 */
export async function withChangeHooks<Result>(
  { hooks }: { readonly hooks?: ChangeHooks },
  change: Change,
  write: () => Promise<Result>,
): Promise<Result> {
  if (hooks === undefined) return write()
  if (hooks.beforeWrite !== undefined) await hooks.beforeWrite(change)
  const result = await write()
  if (result) hooks.afterWrite(change)
  return result
}

/** Returns the change of this type of an item, with the item's version. */
export function itemChange(type: VaultEventType, { id, vault, version }: Item): Change {
  return { type, vaultId: vault.id, itemId: id, version }
}
