/** Returns an item. */

import { defineOperation } from '../define-operation.js'
import { loadItem } from '../records/item-record.js'

/** Input of `getItem`. */
export interface GetItemInput {
  readonly vaultId: string
  readonly itemId: string
}

/** Returns an item. */
export const getItem = defineOperation({
  name: 'getItem',
  target: 'item',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  returns: 'item',
  run: ({ context, textOnly }, ref) => loadItem(context, ref, { omitsFields: textOnly }),
})
