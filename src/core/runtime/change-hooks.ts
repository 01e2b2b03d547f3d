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

/** The part of a context that is needed here. Outside of a call it has no hooks. */
type HookedContext = { readonly hooks?: ChangeHooks }

/**
 * Runs `write`, which makes the change, between the hooks. `afterWrite` is only called if its
 * result is truthy.
 * @returns The result of `write`; false or undefined if the change was not made.
 */
export async function withChangeHooks<Result>(
  context: HookedContext,
  change: Change,
  write: () => Promise<Result>,
): Promise<Result> {
  await recordChange(context, change)
  const result = await write()
  if (result) context.hooks?.afterWrite(change)
  return result
}

/**
 * Records a change before its first write, for a call that writes or deletes something else before
 * the change itself: `attachFile` its blob, `collectGarbage` what it finds. `newFileId` is the id of
 * the file that the call adds.
 * @throws ActivityUnavailableError if it cannot be recorded; nothing may be written then.
 */
export async function recordChange(
  { hooks }: HookedContext,
  change: Change,
  newFileId?: string,
): Promise<void> {
  await hooks?.beforeWrite?.(change, newFileId)
}

/** Returns the change of this type of an item, with the item's version. */
export function itemChange(
  type: VaultEventType,
  { id, vault, version }: Pick<Item, 'id' | 'vault' | 'version'>,
): Change {
  return { type, vaultId: vault.id, itemId: id, version }
}
