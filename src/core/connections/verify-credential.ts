/** Verifies a stored credential. */

import type { RecordedCredential } from '../../schema/activity-entry.js'
import type { Item } from '../../schema/item.js'
import * as z from '../../schema/zod.js'
import { defineOperation } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import { loadItem } from '../records/item-record.js'
import { saveCredentialItem } from './save-credential.js'
import { type MakeDraft, retryUntilSaved } from './save-item.js'

/**
 * Asks the provider whether the values of an item work, and returns the function that makes its next
 * version. Resolves with undefined if there is nothing to store.
 */
export type PrepareVerification = (before: Item) => Promise<MakeDraft | undefined>

/** Asks the provider whether the values of a credential work, and stores the result. */
export const verifyCredential = defineOperation({
  name: 'verifyCredential',
  summary: 'Verifies a credential',
  target: 'item',
  permissions: ['read', 'write'],
  activity: ['UPDATE', 'ITEM'],
  errors: generateErrors,
  input: z.object({
    credential: z.custom<RecordedCredential>(),
    prepare: z.custom<PrepareVerification>(),
  }),
  run: (call, { credential, prepare, ...ref }) =>
    retryUntilSaved(ref, async () => {
      const { item } = await loadItem(call.context, ref)
      const make = await prepare(item)
      return make === undefined ? item : saveCredentialItem(call, ref, credential, make)
    }),
})
