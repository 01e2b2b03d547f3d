/** Verifies a stored credential. */

import type { Item } from '../../schema/item.js'
import * as z from '../../schema/zod.js'
import { defineOperation } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import { loadItem } from '../records/item-record.js'
import { type ListedCredential, withCredentialRecord } from './credential-record.js'
import type { PreparedCredential } from './save-credential.js'
import { retryUntilSaved, saveItem } from './save-item.js'

/**
 * Asks the provider whether the values of an item work, and prepares its next version. Resolves
 * with undefined if there is nothing to store.
 */
export type PrepareVerification = (before: Item) => Promise<PreparedCredential | undefined>

/** Asks the provider whether the values of a credential work, and stores the result. */
export const verifyCredential = defineOperation({
  name: 'verifyCredential',
  summary: 'Verifies a credential',
  target: 'item',
  permissions: ['read', 'write'],
  activity: ['UPDATE', 'ITEM'],
  errors: generateErrors,
  input: z.object({
    credential: z.custom<Pick<ListedCredential, 'name' | 'account'>>(),
    prepare: z.custom<PrepareVerification>(),
  }),
  run: (call, { credential, prepare, ...ref }) =>
    retryUntilSaved(ref, async () => {
      const { item } = await loadItem(call.context, ref)
      const prepared = await prepare(item)
      if (prepared === undefined) return item
      const { status, make } = prepared
      return saveItem(call, ref, make, (isNew, write) =>
        withCredentialRecord(call.context, ref, { ...credential, status }, isNew, write),
      )
    }),
})
