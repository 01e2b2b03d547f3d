/** Saves an OAuth grant in its item. */

import * as z from '../../schema/zod.js'
import { defineOperation } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import { type MakeDraft, saveItem } from './save-item.js'

/** Creates or changes a grant. */
export const saveGrant = defineOperation({
  name: 'saveGrant',
  summary: 'Saves an OAuth grant',
  target: 'item',
  permissions: ['read', 'write'],
  activity: ['UPDATE', 'ITEM'],
  errors: generateErrors,
  input: z.object({ make: z.custom<MakeDraft>() }),
  async run(call, { make, ...ref }) {
    await saveItem(call, ref, make)
  },
})
