/** Deletes a credential with its item. */

import { defineOperation } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import { deleteItemRecord } from '../records/delete-item-record.js'

/** Deletes the item of a credential permanently, even an unreadable one. */
export const removeCredential = defineOperation({
  name: 'removeCredential',
  summary: 'Deletes a credential permanently',
  target: 'item',
  permissions: ['write'],
  activity: ['DELETE', 'ITEM'],
  errors: generateErrors,
  async run(call, ref) {
    await deleteItemRecord(call, ref)
  },
})
