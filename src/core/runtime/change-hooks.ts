/** Sees every change of a vault or an item: before it is made, when it can still be refused, and once it is stored. */

import type { Item } from '../../schema/item.js'
import type { Context } from './context.js'

/** What happens to a vault or an item, and what a listener may be told of. */
export type VaultEventType =
  | 'vault.created'
  | 'vault.updated'
  | 'vault.deleted'
  | 'item.created'
  | 'item.updated'
  | 'item.deleted'

/** A change, without anything of what was changed. */
export interface Change {
  readonly type: VaultEventType
  readonly vaultId: string
  /** The item, if the change is one of an item. */
  readonly itemId?: string
  /** The version that the change makes; the one that it removes. */
  readonly version?: number
}

/** Who sees the changes of one call of an operation. */
export interface ChangeHooks {
  /** Resolves when the change may be made. @throws StorageError if it cannot be recorded: it is not made then. */
  beforeWrite?(change: Change): Promise<void>
  /** The change is stored. */
  afterWrite(change: Change): void
}

/** Makes the change with `write` and resolves as it does: with false or undefined if the change was not made. */
export async function withChangeHooks<Result>(
  context: Pick<Context, 'hooks'>,
  change: Change,
  write: () => Promise<Result>,
): Promise<Result> {
  const { hooks } = context
  if (hooks === undefined) return write()
  if (hooks.beforeWrite !== undefined) await hooks.beforeWrite(change)
  const result = await write()
  if (result) hooks.afterWrite(change)
  return result
}

/** What happens to this item. */
export function itemChange(type: VaultEventType, { id, vault, version }: Item): Change {
  return { type, vaultId: vault.id, itemId: id, version }
}
