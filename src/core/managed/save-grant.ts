/** Saves an OAuth grant in its item. */

import * as z from 'zod/mini'
import { createItem } from '../items/create-item.js'
import { getItem } from '../items/get-item.js'
import { patchItem } from '../items/patch-item.js'
import { defineOperation } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import { type MakeDraft, saveItem } from './save-item.js'

/**
 * Saves a grant, whether or not its item exists. In the activity log it has the name of the operation
 * that replaces an item.
 */
export const saveGrant = defineOperation({
  name: 'replaceItem',
  summary: 'Saves an OAuth grant',
  target: 'item',
  permissions: ['read', 'write'],
  includes: [getItem, createItem, patchItem],
  activity: ['UPDATE', 'ITEM'],
  errors: generateErrors,
  input: z.object({ make: z.custom<MakeDraft>() }),
  async run(call, { make, ...ref }) {
    await saveItem(call, ref, make)
  },
})
