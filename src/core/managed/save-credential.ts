/** Saves a credential in its item. */

import * as z from 'zod/mini'
import type { Item } from '../../schema/item.js'
import { createItem } from '../items/create-item.js'
import { getItem } from '../items/get-item.js'
import { defineOperation } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import { findBefore, type MakeDraft, retryUntilSaved, saveItem } from './save-item.js'

/**
 * Asks the provider about the values that would be saved, and returns the function that makes the
 * item of them. That function returns undefined if the values to save are others by now.
 * @param findStored - Returns the stored item; undefined if it does not exist.
 */
export type PrepareSave = (findStored: () => Promise<Item | undefined>) => Promise<MakeDraft>

/**
 * Saves a credential, whether or not its item exists. In the activity log it has the name of the
 * operation that replaces an item.
 */
export const saveCredential = defineOperation({
  name: 'replaceItem',
  summary: 'Saves a credential',
  target: 'item',
  permissions: ['read', 'write'],
  includes: [getItem, createItem],
  activity: ['UPDATE', 'ITEM'],
  errors: [...generateErrors, 'CREDENTIAL_REJECTED'],
  input: z.object({ prepare: z.custom<PrepareSave>() }),
  run: (call, { prepare, ...ref }) =>
    retryUntilSaved(ref, async () =>
      saveItem(call, ref, await prepare(() => findBefore(call, ref))),
    ),
})
