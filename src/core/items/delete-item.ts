/** Removes an item and its files for good, for a caller who may. */

import { parseIfVersion } from '../../schema/inputs.js'
import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { deleteItemRecord } from '../records/remove-item.js'
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
  await authorize(caller, { vaultId, itemId }, 'write')
  const ifVersion = parseIfVersion(input)
  await deleteItemRecord(context, { vaultId, itemId, ifVersion })
}
