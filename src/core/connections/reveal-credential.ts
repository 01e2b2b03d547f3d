/** Returns a value of a credential. */

import { notFoundError } from '../../base/fixed-errors.js'
import * as z from '../../schema/zod.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { loadItem } from '../records/item-record.js'

/** Returns the value of the field with this id. An empty value counts as missing. */
export const revealCredential = defineOperation({
  name: 'revealCredential',
  summary: 'Returns a value of a credential',
  target: 'item',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  errors: readErrors,
  input: z.object({ field: z.string() }),
  async run({ context }, { field, ...ref }): Promise<string> {
    const { item } = await loadItem(context, ref)
    const { value = '' } = item.fields.find(({ id }) => id === field) ?? {}
    if (value === '') throw notFoundError('field', field)
    return value
  },
})
