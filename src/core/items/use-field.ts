/** Returns the value of a field for a request to an origin of its item. */

import { SecretUseError } from '../../errors.js'
import { isKeptByKeeper } from '../../schema/grant-item.js'
import type { ItemRef } from '../../schema/ids.js'
import { useFieldInputSchema } from '../../schema/inputs.js'
import type { Item } from '../../schema/item.js'
import type { SecretUseTarget } from '../../schema/secret-use.js'
import { assertUseAllowed } from '../access/allowed-use.js'
import type { Call } from '../operation/call.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { loadItem } from '../records/item-record.js'
import { checkStrings } from '../runtime/limits.js'
import { findField, type GetFieldInput } from './get-field.js'

/** Input of `useField`. */
export interface UseFieldInput extends GetFieldInput {
  /**
   * The request for which the value is used. It is recorded in the activity log, and must be one that
   * a caller with the permission `use` is allowed.
   */
  readonly use: SecretUseTarget
}

/**
 * Returns the value of a field, if the item has a URL of this origin. Both are of one record, so a
 * value is never returned for an origin of an earlier or later version. The origin is checked before
 * the field is looked up. A refresh token of an OAuth grant is returned for no origin. To a caller
 * with the permission `use`, a value is returned for the requests that they are allowed.
 */
export const useField = defineOperation({
  name: 'useField',
  summary: 'Returns the value of a field for a request to an origin of its item',
  target: 'item',
  permissions: ['read'],
  allowsUse: true,
  activity: ['READ', 'ITEM'],
  errors: [...readErrors, 'SECRET_USE_REFUSED'],
  input: useFieldInputSchema,
  run: (call, { field, section, use, ...ref }): Promise<string> =>
    runUse(call, { ref, name: { field, section }, use }, (find) => find()),
})

/** A use of the value of a field. */
interface FieldUse {
  readonly ref: ItemRef
  readonly name: Pick<GetFieldInput, 'field' | 'section'>
  readonly use: SecretUseTarget
}

/**
 * Checks a use, and calls `run` with a function that reads the value.
 * @throws SecretUseError (403) if the caller is not allowed the use, and the errors of `run`.
 */
export async function runUse<Result>(
  call: Call,
  { ref, name, use }: FieldUse,
  run: (find: () => Promise<string>) => Promise<Result>,
): Promise<Result> {
  const { context, caller } = call
  checkStrings({ ...name, use }, context.limits)
  if (call.isUseOnly) assertUseAllowed(caller.use, { itemId: ref.itemId, use })
  return run(async () => {
    // A person may have been asked in the meantime.
    call.assertNotExpired()
    const { item } = await loadItem(context, ref)
    return findUsableValue(item, name, use.origin)
  })
}

/**
 * Returns the value of a field that can be used for a request to an origin; '' if it has none.
 * @throws SecretUseError (403) if the value must not be used there; and the errors of `findField`.
 */
function findUsableValue(
  item: Item,
  name: Pick<GetFieldInput, 'field' | 'section'>,
  origin: string,
): string {
  if (!hasOrigin(item, origin))
    throw new SecretUseError('the origin is not that of a URL of the item', 'ORIGIN')
  const found = findField(item, name)
  if (isKeptByKeeper(item, found))
    throw new SecretUseError(
      'a refresh token can only be used by its token keeper',
      'REFRESH_TOKEN',
    )
  return found.value ?? ''
}

function hasOrigin({ urls }: Item, origin: string): boolean {
  return urls.some(({ href }) => URL.canParse(href) && new URL(href).origin === origin)
}
