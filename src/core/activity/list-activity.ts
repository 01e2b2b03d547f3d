/** Lists the entries of the activity log that a caller can see. */

import { InvalidInputError } from '../../errors.js'
import { type ActivityPage, activityInputSchema } from '../../schema/activity-entry.js'
import { authorize } from '../operation/authorize.js'
import { defineOperation } from '../operation/define-operation.js'
import { createErrors } from '../operation/operation-errors.js'
import type { ActivityQuery } from '../runtime/activity-log.js'

/** Input of `listActivity`. */
export interface ListActivityInput extends ActivityQuery {}

/** Returns a page of the activity log, newest first, or an empty page if there is no log. */
export const listActivity = defineOperation({
  name: 'listActivity',
  summary: 'Returns the activity of the vaults that the caller can read',
  target: 'service',
  permissions: [],
  activity: ['READ', 'VAULT'],
  errors: createErrors,
  input: activityInputSchema,
  async run({ context, caller, reportUnreadable }, input): Promise<ActivityPage> {
    const { vaultId, itemId } = input
    if (itemId !== undefined && vaultId === undefined)
      throw InvalidInputError.at('itemId', 'needs the vaultId of the item')
    if (vaultId !== undefined)
      await authorize(caller, { vaultId, itemId }, { name: 'listActivity', permissions: ['read'] })
    const empty = { entries: [], ...(input.count && { total: 0 }) }
    return context.activity?.list(caller, input, { reportUnreadable }) ?? empty
  },
})
