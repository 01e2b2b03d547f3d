/** Generates a new value for a field. */

import { InvalidInputError } from '../../errors.js'
import { type Field, findFieldTypeRules, type Recipe } from '../../schema/field.js'
import { regenerateFieldInputSchema } from '../../schema/inputs.js'
import { defineOperation } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import { missingFieldMessage } from '../patch/resolve-field-references.js'
import { assertNotArchived } from '../records/change-item.js'
import { updateItem } from '../records/update-item.js'
import { checkStrings } from '../runtime/limits.js'
import { buildItem } from './build-item.js'
import { createDraws } from './draws.js'
import { passwordSpec } from './generate-value.js'

/** Input of `regenerateField`. */
export interface RegenerateFieldInput {
  readonly vaultId: string
  readonly itemId: string
  /**
   * The id of the field. Its type must not have a rule for values, as dates do. It may have a
   * value.
   */
  readonly fieldId: string
  /** Default: all three sets of characters, 32 characters. */
  readonly recipe?: Recipe | undefined
  /** Changes only this version. */
  readonly ifVersion?: number | undefined
}

/** Generates a new value for a field, once per call. The rest of the item is kept. */
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
      assertCanGenerate(fields, fieldId, recipe)
      const drafts = fields.map((field) =>
        field.id === fieldId ? { ...field, value: '', generate: true, recipe } : field,
      )
      return buildItem(call.context, { ...item, fields: drafts }, item, draws)
    })
  },
})

/**
 * Checks some things before `buildItem` does, because its errors would name a path in `fields`,
 * which the input does not have.
 * @throws InvalidInputError if the item does not have the field, or nothing can be generated for it.
 */
function assertCanGenerate(
  fields: readonly Field[],
  fieldId: string,
  recipe: Recipe | undefined,
): void {
  const field = fields.find(({ id }) => id === fieldId)
  if (field === undefined) {
    const message = missingFieldMessage(fieldId)
    throw new InvalidInputError(message, { issues: [{ path: 'fieldId', message: message }] })
  }
  if (findFieldTypeRules(field.type)?.values !== undefined)
    throw InvalidInputError.at('fieldId', `must not be the id of a field of the type ${field.type}`)
  if (passwordSpec(recipe ?? {}) === undefined)
    throw InvalidInputError.at('recipe/excludeCharacters', 'must leave at least two characters')
}
