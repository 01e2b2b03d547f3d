/** Returns the token of an OAuth grant to a caller who may use it. */

import * as z from 'zod/mini'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'

/**
 * Gives a caller a token that its keeper has found as its own caller. It needs the same
 * permission as `useField`, and has its name in entries of the activity log. The member `takeToken`
 * of its input is called once the permission is checked.
 */
export const useGrant = defineOperation({
  name: 'useField',
  summary: 'Returns the access token of an OAuth grant',
  target: 'item',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  errors: [...readErrors, 'RECONNECT_REQUIRED'],
  input: z.object({ takeToken: z.custom<() => Promise<string>>() }),
  run: (_, { takeToken }) => takeToken(),
})
