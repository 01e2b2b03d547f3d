/** Returns the value of a field for a request to an origin of its item. */

import { SecretUseError } from '../../errors.js'
import { isKeptByKeeper } from '../../schema/grant-item.js'
import { useFieldInputSchema } from '../../schema/inputs.js'
import type { Item } from '../../schema/item.js'
import type { SecretUseTarget } from '../../schema/secret-use.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { loadItem } from '../records/item-record.js'
import { checkStrings } from '../runtime/limits.js'
import { findField, type GetFieldInput } from './get-field.js'

/** Input of `useField`. */
export interface UseFieldInput extends GetFieldInput {
  /** The request for which the value is used. It is recorded in the activity log. */
  readonly use: SecretUseTarget
}

/**
 * Returns the value of a field, if the item has a URL of this origin. Both are of one record, so a
 * value is never returned for an origin of an earlier or later version. The origin is checked before
 * the field is looked up. A refresh token of an OAuth grant is returned for no origin.
 */
export const useField = defineOperation({
  name: 'useField',
  summary: 'Returns the value of a field for a request to an origin of its item',
  target: 'item',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  errors: [...readErrors, 'SECRET_USE_REFUSED'],
  input: useFieldInputSchema,
  async run({ context }, { field, section, use, ...ref }): Promise<string> {
    checkStrings({ field, section, use }, context.limits)
    const { item } = await loadItem(context, ref)
    return findUsableValue(item, { field, section }, use.origin)
  },
})

/**
 * Returns the value of a field that can be used for a request to an origin; '' if it has none.
 * @throws SecretUseError (403) if the value must not be used there; and the errors of `findField`.
 */
export function findUsableValue(
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
