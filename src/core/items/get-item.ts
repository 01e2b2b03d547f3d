/** Returns an item. */

import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { loadItem } from '../records/item-record.js'

/** Input of `getItem`. */
export interface GetItemInput {
  readonly vaultId: string
  readonly itemId: string
}

/** Returns an item. */
export const getItem = defineOperation({
  name: 'getItem',
  summary: 'Returns an item',
  target: 'item',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  errors: readErrors,
  returns: 'item',
  run: ({ context }, ref) => loadItem(context, ref),
})
