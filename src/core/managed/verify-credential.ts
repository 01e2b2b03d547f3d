/** Verifies a stored credential. */

import * as z from 'zod/mini'
import type { Item } from '../../schema/item.js'
import { getItem } from '../items/get-item.js'
import { defineOperation } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import { loadItem } from '../records/item-record.js'
import { type MakeDraft, retryUntilSaved, saveItem } from './save-item.js'

/**
 * Asks the provider about the values of an item, and returns the function that makes the next
 * version of it; it returns undefined if the item has other values by now. Resolves with undefined
 * if there is nothing to store.
 */
export type PrepareVerification = (before: Item) => Promise<MakeDraft | undefined>

/**
 * Asks the provider about the values of a credential, and stores the result. In the activity log it
 * has the name of the operation that replaces an item.
 */
export const verifyCredential = defineOperation({
  name: 'replaceItem',
  summary: 'Verifies a credential',
  target: 'item',
  permissions: ['read', 'write'],
  includes: [getItem],
  activity: ['UPDATE', 'ITEM'],
  errors: generateErrors,
  input: z.object({ prepare: z.custom<PrepareVerification>() }),
  run: (call, { prepare, ...ref }) =>
    retryUntilSaved(ref, async () => {
      const { item } = await loadItem(call.context, ref)
      const make = await prepare(item)
      return make === undefined ? item : saveItem(call, ref, make)
    }),
})
