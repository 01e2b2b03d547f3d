/** Returns a secret for a request. */

import { isKeptByKeeper } from '../../schema/grant-item.js'
import { useFieldInputSchema } from '../../schema/inputs.js'
import type { Item } from '../../schema/item.js'
import { secretUseSchema } from '../../schema/secret-use.js'
import * as z from '../../schema/zod.js'
import { findUsableValue, runUse } from '../items/use-field.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { checkStrings } from '../runtime/limits.js'

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
  run(call, { field, section, use, run, ...ref }): Promise<void> {
    checkStrings({ field, section, use }, call.context.limits)
    return runUse(
      call,
      { ref, use, read: (item) => findUsableValue(item, { field, section }) },
      run,
    )
  },
})

/** `useField` for a request that is signed with the values of an item. */
export const useItem = defineOperation({
  name: 'useField',
  summary: 'Returns the values of an item for a request that they sign',
  target: 'item',
  permissions: ['read'],
  allowsUse: true,
  activity: ['READ', 'ITEM'],
  errors: [...readErrors, 'SECRET_USE_REFUSED'],
  input: z.object({
    use: secretUseSchema,
    /** Called with a function that returns the values. @throws SecretUseError to refuse the use. */
    run: z.custom<(find: () => Promise<SigningValues>) => Promise<void>>(),
  }),
  run(call, { use, run, ...ref }): Promise<void> {
    checkStrings({ use }, call.context.limits)
    return runUse(call, { ref, use, read: toSigningValues }, run)
  },
})

/** Values by the ids of their fields. */
type SigningValues = Readonly<Record<string, string>>

/** Returns the values of an item, without notes, refresh tokens and what credentials keep for themselves. */
function toSigningValues(item: Item): SigningValues {
  const fields = item.fields.filter(
    (field) =>
      field.purpose !== 'NOTES' &&
      !field.id.startsWith('credential.') &&
      !isKeptByKeeper(item, field),
  )
  return Object.fromEntries(fields.map(({ id, value = '' }) => [id, value]))
}
