/** Answers many items of a vault in one call. */

import type { Item } from '../schema/item.js'
import { itemIdsSchema } from '../schema/item-selection.js'
import { parse } from '../schema/parse.js'
import type { Caller } from './caller.js'
import type { Context } from './context.js'
import { permit } from './permit.js'
import { findItem } from './read-item.js'
import { requireVault } from './read-vault.js'

/** What `getItems` is told. */
export interface GetItemsInput {
  readonly vaultId: string
  /** 1 to 100 ids, none twice. */
  readonly itemIds: readonly string[]
}

/**
 * The operation `getItems` of the service: the items in the order of their ids, without those that are not there or
 * marked as deleted. They are read at the same time, each as it is at some moment of the call. The vault is looked for
 * only if an item is missing.
 */
export async function getItems(
  context: Context,
  caller: Caller | undefined,
  input: GetItemsInput,
): Promise<readonly Item[]> {
  const { vaultId } = input
  await permit(caller, { vaultId }, 'read')
  const { itemIds } = parse(itemIdsSchema, input)
  const found = await Promise.all(itemIds.map((itemId) => findItem(context, { vaultId, itemId })))
  const items = found.flatMap((each) => (each === undefined ? [] : [each.item]))
  if (items.length < itemIds.length) await requireVault(context, vaultId)
  return items
}
