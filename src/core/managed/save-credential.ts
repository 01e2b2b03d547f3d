/** Saves a credential in its item. */

import type { Item } from '../../schema/item.js'
import * as z from '../../schema/zod.js'
import { defineOperation } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import {
  type ListedCredential,
  type VerifiedStatus,
  withCredentialRecord,
} from './credential-record.js'
import { findBefore, type MakeDraft, retryUntilSaved, saveItem } from './save-item.js'

/** The item of a credential that is about to be saved. */
export interface PreparedCredential {
  readonly status: VerifiedStatus
  /** Returns undefined if the values to save have changed meanwhile. */
  readonly make: MakeDraft
}

/** Asks the provider about the values that would be saved, and prepares their item. */
export type PrepareSave = (
  findStored: () => Promise<Item | undefined>,
) => Promise<PreparedCredential>

/** Creates or changes a credential. */
export const saveCredential = defineOperation({
  name: 'saveCredential',
  summary: 'Saves a credential',
  target: 'item',
  permissions: ['read', 'write'],
  activity: ['UPDATE', 'ITEM'],
  errors: [...generateErrors, 'CREDENTIAL_REJECTED', 'CREDENTIAL_UNVERIFIED'],
  input: z.object({
    credential: z.custom<Pick<ListedCredential, 'name' | 'account'>>(),
    prepare: z.custom<PrepareSave>(),
  }),
  run: (call, { credential, prepare, ...ref }) =>
    retryUntilSaved(ref, async () => {
      const { status, make } = await prepare(() => findBefore(call, ref))
      return saveItem(call, ref, make, (isNew, write) =>
        withCredentialRecord(call.context, ref, { ...credential, status }, isNew, write),
      )
    }),
})
