/** Archives an item, marks it as deleted, or makes it active again. */

import { setItemStateInputSchema } from '../../schema/inputs.js'
import type { Item, ItemState } from '../../schema/item.js'
import { defineOperation } from '../operation/define-operation.js'
import { changeErrors } from '../operation/operation-errors.js'
import { type ItemUpdate, updateItem } from '../records/update-item.js'

/** Input of `setItemState`. */
export interface SetItemStateInput {
  readonly vaultId: string
  readonly itemId: string
  /**
   * The new state. `ACTIVE`, null and undefined make the item active, so that it has no `state`.
   */
  readonly state?: ItemState | 'ACTIVE' | null | undefined
  /** Changes only this version. */
  readonly ifVersion?: number | undefined
}

/**
 * Archives an item, marks it as deleted, or makes it active again. This is the only operation that
 * finds an item that is marked as deleted. An item that already has the state is returned
 * unchanged, and nothing is written.
 */
export const setItemState = defineOperation({
  name: 'setItemState',
  summary: 'Archives an item, marks it as deleted, or makes it active again',
  target: 'item',
  permissions: ['read', 'write'],
  activity: ['UPDATE', 'ITEM'],
  errors: changeErrors,
  input: setItemStateInputSchema,
  returns: 'item',
  async run(call, { state, ...ref }) {
    const stored = state === 'ACTIVE' ? undefined : (state ?? undefined)
    const update: ItemUpdate = (item) => withState(item, stored)
    return updateItem(call, ref, update, { includeDeleted: true })
  },
})

/** Returns the item in that state, with its attributes in the order of `itemSchema`. */
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
