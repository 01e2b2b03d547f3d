/** Returns the access token of an OAuth grant. */

import * as z from '../../schema/zod.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'

/**
 * `useField` for token keepers, which return a token for no certain request. It has that name in
 * `can` and in entries of the activity log, and so one entry for one use.
 */
export const useGrant = defineOperation({
  name: 'useField',
  summary: 'Returns the access token of an OAuth grant',
  target: 'item',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  errors: [...readErrors, 'RECONNECT_REQUIRED'],
  input: z.object({
    /** Reads the grant as the caller of the keeper, and refreshes it if it has to. */
    run: z.custom<() => Promise<void>>(),
  }),
  async run(call, { run }) {
    await run()
    // The refresh may have taken a while.
    call.assertNotExpired()
  },
})
