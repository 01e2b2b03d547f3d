/** Returns a secret for a request. */

import { useFieldInputSchema } from '../../schema/inputs.js'
import * as z from '../../schema/zod.js'
import { runUse } from '../items/use-field.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'

/**
 * `useField` for the secret fetch. It has that name in `can` and in entries of the activity log, and
 * so one entry for one use, also for a use that `run` refuses.
 */
export const useSecret = defineOperation({
  name: 'useField',
  summary: 'Returns the value of a field for a request',
  target: 'item',
  permissions: ['read'],
  allowsUse: true,
  activity: ['READ', 'ITEM'],
  errors: [...readErrors, 'SECRET_USE_REFUSED', 'RECONNECT_REQUIRED'],
  input: z.extend(useFieldInputSchema, {
    /** Called with a function that returns the value. @throws SecretUseError to refuse the use. */
    run: z.custom<(find: () => Promise<string>) => Promise<void>>(),
  }),
  run: (call, { field, section, use, run, ...ref }): Promise<void> =>
    runUse(call, { ref, name: { field, section }, use }, run),
})
