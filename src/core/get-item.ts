/** Answers an item. */

import type { Caller } from './caller.js'
import type { Context } from './context.js'
import { permit } from './permit.js'
import { type FoundItem, readItem } from './read-item.js'

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
): Promise<FoundItem> {
  const place = { vaultId: input.vaultId, itemId: input.itemId }
  await permit(caller, place, 'read')
  return readItem(context, place)
}
