/** Returns one field of an item. */

import { findByIdOrName } from '../../base/find-by-id-or-name.js'
import { notFoundError } from '../../base/fixed-errors.js'
import { InvalidInputError } from '../../errors.js'
import type { Field } from '../../schema/field.js'
import type { ItemRef } from '../../schema/ids.js'
import { getFieldInputSchema } from '../../schema/inputs.js'
import type { Item } from '../../schema/item.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { loadItem } from '../records/item-record.js'
import { checkStrings } from '../runtime/limits.js'

/** Input of `getField`. */
export interface GetFieldInput extends ItemRef {
  /** The id or the label of the field, case-sensitive. An id takes precedence over a label. */
  readonly field: string
  /**
   * The id or the label of the section that contains the field. By default all fields of the item
   * are searched.
   */
  readonly section?: string | undefined
}

/** Returns the field of an item with this id or, if no field has it, with this label. */
export const getField = defineOperation({
  name: 'getField',
  summary: 'Returns one field of an item by its id or its label',
  target: 'item',
  permissions: ['read'],
  activity: ['READ', 'ITEM'],
  errors: readErrors,
  input: getFieldInputSchema,
  async run({ context }, { field, section, ...ref }): Promise<Field> {
    checkStrings({ field, section }, context.limits)
    return findField((await loadItem(context, ref)).item, { field, section })
  },
})

/**
 * Returns the field of an item that an input names.
 * @throws NotFoundError if it does not exist.
 * @throws InvalidInputError if several fields have its label.
 */
export function findField(
  { fields, sections }: Item,
  { field: name, section }: Pick<GetFieldInput, 'field' | 'section'>,
): Field {
  const inSections = section === undefined ? undefined : findByIdOrName(sections, section, labelOf)
  const [field, other] = findByIdOrName(
    inSections === undefined
      ? fields
      : fields.filter((one) => inSections.some(({ id }) => id === one.section?.id)),
    name,
    labelOf,
  )
  if (field === undefined) throw notFoundError('field', name)
  if (other !== undefined) {
    throw InvalidInputError.at(
      'field',
      'is the label of several fields: pass the id of one, or its section',
    )
  }
  return field
}

function labelOf({ label }: { readonly label?: string }): string | undefined {
  return label
}
