/** Returns a secret for a request, or the access token of an OAuth grant. */

import { useFieldInputSchema } from '../../schema/inputs.js'
import * as z from '../../schema/zod.js'
import { findUsableField } from '../items/use-field.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { loadItem } from '../records/item-record.js'
import { checkStrings } from '../runtime/limits.js'

/**
 * `useField` for the secret fetch and for token keepers. It has that name in `can` and in entries of
 * the activity log, and so one entry for one use, also for a refused one.
 *
 * With `takeToken`, the token that it returns is used: that of a keeper, which reads the grant as its
 * own caller. It is taken before the item is read, so it is never newer than the origins.
 */
export const useSecret = defineOperation({
  name: 'useField',
  summary: 'Returns the value of a field for a request, or the access token of an OAuth grant',
  target: 'item',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  errors: [...readErrors, 'SECRET_USE_REFUSED', 'RECONNECT_REQUIRED'],
  input: z.partial(
    z.extend(useFieldInputSchema, {
      /** @throws SecretUseError if the use is refused. */
      allow: z.custom<() => Promise<void>>(),
      takeToken: z.custom<() => Promise<string>>(),
      /** Returns the value that is used. @throws SecretUseError if it must not be used. */
      check: z.custom<(value: string) => string>(),
    }),
  ),
  async run({ context }, input): Promise<string> {
    const { field, section, use, allow, takeToken, check, ...ref } = input
    checkStrings({ field, section, use }, context.limits)
    await allow?.()
    const token = await takeToken?.()
    // A keeper returns a token for no certain request.
    if (field === undefined || use === undefined || check === undefined) return String(token)
    const { item } = await loadItem(context, ref)
    const { value = '' } = findUsableField(item, { field, section }, use.origin)
    return check(token ?? value)
  },
})
