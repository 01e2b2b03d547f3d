/** Archives an item, marks it as deleted, or takes it into use again. */

import { setItemStateInputSchema } from '../../schema/inputs.js'
import type { Item, ItemState } from '../../schema/item.js'
import { parse } from '../../schema/parse.js'
import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { loadAnyItem, type StoredItem } from '../records/load-item.js'
import { type ItemUpdate, updateItem } from '../records/update-item.js'
import type { Context } from '../runtime/context.js'

/** What `setItemState` is told. */
export interface SetItemStateInput {
  readonly vaultId: string
  readonly itemId: string
  /** The new state; absent or null, as JSON says it, for an item in use. */
  readonly state?: ItemState | null | undefined
  /** Changes only this version. */
  readonly ifVersion?: number | undefined
}

/**
 * The operation `setItemState` of the service, the only one that finds an item which is marked as deleted. An item that
 * has the state already is answered as it is, and nothing is written.
 */
export async function setItemState(
  context: Context,
  caller: Caller | undefined,
  input: SetItemStateInput,
): Promise<StoredItem> {
  const { vaultId, itemId } = input
  const editor = await authorize(caller, { vaultId, itemId }, 'read', 'write')
  const { state, ifVersion } = parse(setItemStateInputSchema, input)
  const ref = { vaultId, itemId, ifVersion }
  const change: ItemUpdate = (item) => withState(item, state ?? undefined)
  return updateItem(context, editor, ref, change, { load: loadAnyItem })
}

/** The item in that state, with its attributes in the order of `itemSchema`. */
function withState(item: Item, state: ItemState | undefined): Item {
  if (item.state === state) return item
  const { version, createdAt, updatedAt, lastEditedBy, sections, fields, files, ...rest } = item
  const { state: _, ...start } = rest
  return {
    ...start,
    ...(state !== undefined && { state }),
    version,
    createdAt,
    updatedAt,
    lastEditedBy,
    sections,
    fields,
    files,
  }
}
