/** Answers an item. */

import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { loadItem, type StoredItem } from '../records/load-item.js'
import type { Context } from '../runtime/context.js'

/** What `getItem` is told. */
export interface GetItemInput {
  readonly vaultId: string
  readonly itemId: string
}

/** The operation `getItem` of the service. */
export async function getItem(
  context: Context,
  caller: Caller | undefined,
  input: GetItemInput,
): Promise<StoredItem> {
  const ref = { vaultId: input.vaultId, itemId: input.itemId }
  await authorize(caller, ref, 'read')
  return loadItem(context, ref)
}
