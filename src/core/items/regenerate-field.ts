/** Generates the value of a field again. */

import { InvalidInputError } from '../../errors.js'
import type { Recipe } from '../../schema/field.js'
import { regenerateFieldInputSchema } from '../../schema/inputs.js'
import { defineOperation } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import { missingFieldMessage } from '../patch/resolve-field-references.js'
import { assertNotArchived } from '../records/change-item.js'
import { updateItem } from '../records/update-item.js'
import { checkStrings } from '../runtime/limits.js'
import { buildItem } from './build-item.js'
import { createDraws } from './draws.js'

/** Input of `regenerateField`. */
export interface RegenerateFieldInput {
  readonly vaultId: string
  readonly itemId: string
  /** The id of a field that is not a date. It can have a value. */
  readonly fieldId: string
  /** All three sets of characters and length 32 if absent. */
  readonly recipe?: Recipe | undefined
  /** Changes only this version. */
  readonly ifVersion?: number | undefined
}

/**
 * Generates the value of a field again, once for each call. Everything else of the item is kept.
 */
export const regenerateField = defineOperation({
  name: 'regenerateField',
  summary: 'Generates the value of a field again',
  target: 'item',
  permissions: ['read', 'write'],
  activity: ['UPDATE', 'ITEM'],
  errors: generateErrors,
  input: regenerateFieldInputSchema,
  returns: 'item',
  async run(call, { fieldId, recipe, ...ref }) {
    checkStrings({ fieldId, recipe }, call.context.limits)
    const draws = createDraws(call.context.randomBytes)
    return updateItem(call, ref, (item) => {
      const { fields } = assertNotArchived(item)
      if (fields.every(({ id }) => id !== fieldId)) {
        const message = missingFieldMessage(fieldId)
        throw InvalidInputError.at('fieldId', message, message)
      }
      const drafts = fields.map((field) =>
        field.id === fieldId ? { ...field, value: '', generate: true, recipe } : field,
      )
      return buildItem(call.context, { ...item, fields: drafts }, item, draws)
    })
  },
})
