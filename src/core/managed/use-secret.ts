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

/** The members that all uses share with `useField`. */
const use = {
  name: 'useField',
  target: 'item',
  permissions: ['read'],
  allowsUse: true,
  activity: ['READ', 'ITEM'],
} as const

/** Called with a function that returns a value. @throws SecretUseError to refuse the use. */
type RunUse<Value> = (find: () => Promise<Value>) => Promise<void>

/**
 * `useField` for the secret fetch. It has that name in `can` and in the activity log, so one use
 * has one entry, even if `run` refuses it.
 */
export const useSecret = defineOperation({
  ...use,
  summary: 'Returns the value of a field for a request',
  errors: [...readErrors, 'SECRET_USE_REFUSED', 'RECONNECT_REQUIRED'],
  input: z.extend(useFieldInputSchema, { run: z.custom<RunUse<string>>() }),
  run(call, { field, section, use, run, ...ref }): Promise<void> {
    checkStrings({ field, section, use }, call.context.limits)
    const read = (item: Item): string => findUsableValue(item, { field, section })
    return runUse(call, { ref, use, read }, run)
  },
})

/** `useField` for a request that is signed with the values of an item. */
export const useItem = defineOperation({
  ...use,
  summary: 'Returns the values of an item for a request that they sign',
  errors: [...readErrors, 'SECRET_USE_REFUSED'],
  input: z.object({ use: secretUseSchema, run: z.custom<RunUse<SigningValues>>() }),
  run(call, { use, run, ...ref }): Promise<void> {
    checkStrings({ use }, call.context.limits)
    return runUse(call, { ref, use, read: toSigningValues }, run)
  },
})

/** Values by field id. */
type SigningValues = Readonly<Record<string, string>>

/**
 * Returns the values of an item, without notes, refresh tokens and the internal fields of
 * credentials.
 */
function toSigningValues(item: Item): SigningValues {
  const fields = item.fields.filter(
    (field) =>
      field.purpose !== 'NOTES' &&
      !field.id.startsWith('credential.') &&
      !isKeptByKeeper(item, field),
  )
  return Object.fromEntries(fields.map(({ id, value = '' }) => [id, value]))
}
