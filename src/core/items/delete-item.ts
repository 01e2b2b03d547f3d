/** Removes an item and its files for good, for a caller who may. */

import { parseIfVersion } from '../../schema/if-version.js'
import { permit } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { removeItem } from '../records/remove-item.js'
import type { Context } from '../runtime/context.js'

/** What `deleteItem` is told. */
export interface DeleteItemInput {
  readonly vaultId: string
  readonly itemId: string
  /** Removes only this version. */
  readonly ifVersion?: number | undefined
}

/** The operation `deleteItem` of the service. */
export async function deleteItem(
  context: Context,
  caller: Caller | undefined,
  input: DeleteItemInput,
): Promise<void> {
  const { vaultId, itemId } = input
  await permit(caller, { vaultId, itemId }, 'write')
  const ifVersion = parseIfVersion(input)
  await removeItem(context, { vaultId, itemId, ifVersion })
}
