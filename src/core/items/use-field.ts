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
   * The request for which the value is used. The activity log records it. If the caller has only
   * the permission `use`, it must be one of the uses that they are allowed.
   */
  readonly use: SecretUseTarget
}

/**
 * Returns the value of a field, if the item has a URL of this origin. Value and URL come from the
 * same record, so a value is never returned for an origin of an earlier or later version. The
 * origin is checked before the field is looked up. A refresh token of an OAuth grant is never
 * returned. A caller with the permission `use` gets a value only for the requests that they are
 * allowed.
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
  run(call, { field, section, use, ...ref }): Promise<string> {
    checkStrings({ field, section, use }, call.context.limits)
    return runUse(
      call,
      { ref, use, read: (item) => findUsableValue(item, { field, section }) },
      (find) => find(),
    )
  },
})

/** A use of the value that `read` returns from an item. */
interface ItemUse<Value> {
  readonly ref: ItemRef
  readonly use: SecretUseTarget
  readonly read: (item: Item) => Value
}

/**
 * Checks a use, and calls `run` with a function that reads the item.
 * @throws SecretUseError (403) if the caller is not allowed the use, and the errors of `run`. The
 * function itself throws SecretUseError if the item has no URL of the origin, and the errors of
 * `read`.
 */
export async function runUse<Value, Result>(
  call: Call,
  { ref, use, read }: ItemUse<Value>,
  run: (find: () => Promise<Value>) => Promise<Result>,
): Promise<Result> {
  const { context, caller } = call
  if (call.isUseOnly) assertUseAllowed(caller.use, { itemId: ref.itemId, use })
  return run(async () => {
    // Someone may have been asked for consent in the meantime, which takes long.
    call.assertNotExpired()
    const { item } = await loadItem(context, ref)
    if (!hasOrigin(item, use.origin))
      throw new SecretUseError('the item has no URL of this origin', { reason: 'ORIGIN' })
    return read(item)
  })
}

/**
 * Returns the value of a field, or '' if it has none.
 * @throws SecretUseError (403) if only its token keeper may use it, and the errors of `findField`.
 */
export function findUsableValue(
  item: Item,
  name: Pick<GetFieldInput, 'field' | 'section'>,
): string {
  const found = findField(item, name)
  if (isKeptByKeeper(item, found))
    throw new SecretUseError('a refresh token can only be used by its token keeper', {
      reason: 'REFRESH_TOKEN',
    })
  return found.value ?? ''
}

function hasOrigin({ urls }: Item, origin: string): boolean {
  return urls.some(({ href }) => URL.canParse(href) && new URL(href).origin === origin)
}
