/** Returns the access token of an OAuth grant. */

import * as z from '../../schema/zod.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'

/**
 * `useField` for token keepers, which return a token without knowing the request. It has that name
 * in `can` and in the activity log, so one use has one entry.
 */
export const useGrant = defineOperation({
  name: 'useField',
  summary: 'Returns the access token of an OAuth grant',
  target: 'item',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  errors: [...readErrors, 'RECONNECT_REQUIRED'],
  input: z.object({
    /** Reads the grant as the keeper's caller, and refreshes it if necessary. */
    run: z.custom<() => Promise<void>>(),
  }),
  async run(call, { run }) {
    await run()
    // The refresh may have taken a while.
    call.assertNotExpired()
  },
})
