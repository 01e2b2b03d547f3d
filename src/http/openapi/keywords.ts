/** Keywords of JSON Schemas that cannot be derived from the schemas. */

import * as z from 'zod/mini'
import { fieldDraftSchema, fieldTypes, recipeSchema } from '../../schema/field.js'
import { fileDetailsSchema, fileDraftSchema } from '../../schema/file.js'
import { getItemsInputSchema } from '../../schema/inputs.js'
import { hrefPattern, itemDraftSchema } from '../../schema/item.js'

/**
 * The keywords of schemas that check a value with a function, and the defaults that the service
 * applies. Only documents need them, so the schemas do not contain them.
 */
export const keywords = /* @__PURE__ */ createKeywords()

function createKeywords() {
  const { characterSets, length } = recipeSchema.shape
  const url = itemDraftSchema.shape.urls.def.innerType.def.element
  return z
    .registry<Readonly<Record<string, unknown>>>()
    .add(fieldDraftSchema.shape.type.def.innerType, { enum: fieldTypes, default: 'STRING' })
    .add(characterSets.def.innerType, { uniqueItems: true })
    .add(length.def.innerType, { default: 32 })
    .add(url.shape.href, { pattern: hrefPattern.source })
    .add(getItemsInputSchema.shape.itemIds, { uniqueItems: true })
    .add(fileDetailsSchema.shape.content.def.innerType, { format: 'byte' })
    .add(fileDraftSchema.shape.content.def.innerType, { format: 'byte' })
}
