/** Saves a credential in its item. */

import type { RecordedCredential } from '../../schema/activity-entry.js'
import type { ItemRef } from '../../schema/ids.js'
import type { Item } from '../../schema/item.js'
import * as z from '../../schema/zod.js'
import type { Call } from '../operation/call.js'
import { defineOperation } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import { putCredentialRecord } from './credential-record.js'
import { findBefore, type MakeDraft, retryUntilSaved, saveItem } from './save-item.js'

/**
 * Asks the provider about the values that would be saved, and returns the function that makes their
 * item. It returns undefined if the values to save have changed meanwhile.
 */
export type PrepareSave = (findStored: () => Promise<Item | undefined>) => Promise<MakeDraft>

/** Creates or changes a credential. */
export const saveCredential = defineOperation({
  name: 'saveCredential',
  summary: 'Saves a credential',
  target: 'item',
  permissions: ['read', 'write'],
  activity: ['UPDATE', 'ITEM'],
  errors: [...generateErrors, 'CREDENTIAL_REJECTED', 'CREDENTIAL_UNVERIFIED'],
  input: z.object({
    credential: z.custom<RecordedCredential>(),
    prepare: z.custom<PrepareSave>(),
  }),
  run: (call, { credential, prepare, ...ref }) =>
    retryUntilSaved(ref, async () => {
      const make = await prepare(() => findBefore(call, ref))
      return saveCredentialItem(call, ref, credential, make)
    }),
})

/**
 * Saves the item of a credential, and its record before that.
 * @returns The stored item, or undefined if `make` returns undefined.
 */
export function saveCredentialItem(
  call: Call,
  ref: ItemRef,
  credential: RecordedCredential,
  make: MakeDraft,
): Promise<Item | undefined> {
  return saveItem(call, ref, make, async (isNew, write) => {
    const isListed = await putCredentialRecord(call.context, ref, credential, { isNew })
    return isListed && write()
  })
}
