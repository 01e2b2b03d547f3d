/** Deletes an item and its files permanently. */

import { ifVersionInputSchema } from '../../schema/inputs.js'
import { defineOperation } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import { deleteItemRecord } from '../records/delete-item-record.js'

/** Input of `deleteItem`. */
export interface DeleteItemInput {
  readonly vaultId: string
  readonly itemId: string
  /** Deletes only this version. */
  readonly ifVersion?: number | undefined
}

/** Deletes an item and its files permanently. */
export const deleteItem = defineOperation({
  name: 'deleteItem',
  summary: 'Deletes an item and its files permanently',
  target: 'item',
  permissions: ['write'],
  activity: ['DELETE', 'ITEM'],
  errors: generateErrors,
  input: ifVersionInputSchema,
  async run(call, ref) {
    await deleteItemRecord(call, ref)
  },
})
