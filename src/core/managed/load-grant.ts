/** Reads the item of an OAuth grant for its keeper. */

import type { Item } from '../../schema/item.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { loadItem } from '../records/item-record.js'

/** Returns the item of a grant, as a step of a call that uses or refreshes the grant. */
export const loadGrant = defineOperation({
  name: 'refreshGrant',
  summary: 'Returns the item of an OAuth grant',
  target: 'item',
  permissions: ['read'],
  errors: readErrors,
  async run({ context }, ref): Promise<Item> {
    return (await loadItem(context, ref)).item
  },
})
