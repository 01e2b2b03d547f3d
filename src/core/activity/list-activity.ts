/** Lists the entries of the activity log that a caller can see. */

import { type ActivityPage, activityInputSchema } from '../../schema/activity-entry.js'
import { defineOperation } from '../operation/define-operation.js'
import { listErrors } from '../operation/operation-errors.js'
import type { PageInput } from '../runtime/activity-log.js'

/**
 * Input of `listActivity`. There is no filter: the list has the entries of all vaults that the caller
 * can read, so for one vault pass a caller that can read no other. Unknown members are rejected.
 */
export interface ListActivityInput extends PageInput {}

/** Returns a page of the activity log, newest first; empty without a log. */
export const listActivity = defineOperation({
  name: 'listActivity',
  summary: 'Returns the activity of the vaults that the caller can read',
  target: 'service',
  permissions: [],
  activity: ['READ', 'VAULT'],
  errors: listErrors,
  input: activityInputSchema,
  async run({ context, caller, reportUnreadable }, page): Promise<ActivityPage> {
    return context.activity?.list(caller, page, { reportUnreadable }) ?? { entries: [], total: 0 }
  },
})
