/** Removes an item and its files for good, for a caller who may. */

import { parseIfVersion } from '../schema/if-version.js'
import type { Caller } from './caller.js'
import type { Context } from './context.js'
import { permit } from './permit.js'
import { removeItem } from './remove-item.js'

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
