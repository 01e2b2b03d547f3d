/** JSON Schemas of the named types, and of the input and output of each operation. */

import * as z from 'zod/mini'
import { hrefPattern } from '../../src/base/href.js'
import { limitOptions } from '../../src/core/runtime/limits.js'
import type { MethodName } from '../../src/core/vault-service.js'
import { fieldDraftSchema, fieldSchema, fieldTypes, recipeSchema } from '../../src/schema/field.js'
import { fileDetailsSchema, fileDraftSchema } from '../../src/schema/file.js'
import { getItemsInputSchema } from '../../src/schema/inputs.js'
import { itemDraftSchema, itemSchema, itemStateSchema } from '../../src/schema/item.js'
import { patchOperationSchema, patchSchema } from '../../src/schema/patch.js'
import { vaultSchema } from '../../src/schema/vault.js'
import { activityEntrySchema } from './activity-entry-schema.js'
import {
  describedOperations,
  fieldDescriptionSchema,
  hiddenValueSchema,
  itemDescriptionSchema,
  itemSummarySchema,
  itemVersionSchema,
} from './operations.js'

/** A JSON Schema (draft 2020-12), without `$schema` and `$id`. */
type JsonSchema = z.core.JSONSchema.BaseSchema

/** The input and the output of an operation. */
export interface OperationJsonSchemas {
  /** The members of the input by their names. */
  readonly members: Readonly<Record<string, JsonSchema>>
  /** The names of the required members. */
  readonly required: readonly string[]
  /** The output; undefined if the operation returns nothing, or bytes. */
  readonly output: JsonSchema | undefined
}

/** The result of {@link toJsonSchemas}. */
export interface JsonSchemas {
  /** The named schemas, by the names of their TypeScript types. */
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly operations: Readonly<Record<MethodName, OperationJsonSchemas>>
}

/**
 * Converts the schemas to JSON Schema. Each call returns new objects. A named schema appears in
 * other schemas as `{ $ref: refTo(name) }`. Objects are open: they can have attributes that their
 * schema does not list.
 */
export function toJsonSchemas(refTo: (name: string) => string): JsonSchemas {
  const named = namedSchemas()
  const registry = z.registry<{ id: string }>()
  for (const [name, schema] of Object.entries(named)) registry.add(schema, { id: name })
  for (const [name, { input, output }] of Object.entries(describedOperations))
    registry.add(output === undefined ? z.object({ input }) : z.object({ input, output }), {
      id: name,
    })
  const { schemas } = z.toJSONSchema(registry, {
    target: 'draft-2020-12',
    io: 'input',
    uri: refTo,
    metadata: keywords,
    override: ({ jsonSchema }) => simplify(jsonSchema),
  })
  const found = Object.entries(schemas)
  return {
    schemas: Object.fromEntries(
      found.filter(([name]) => name in named).map(([name, schema]) => [name, stripMeta(schema)]),
    ),
    operations: Object.fromEntries(
      found
        .filter(([name]) => name in describedOperations)
        .map(([name, schema]) => [name, operationSchema(schema)]),
    ) as Record<MethodName, OperationJsonSchemas>,
  }
}

/** Returns the named schemas, by the names of their TypeScript types. */
function namedSchemas(): Readonly<Record<string, z.ZodMiniType>> {
  return {
    Item: itemSchema,
    ItemSummary: itemSummarySchema,
    ItemVersion: itemVersionSchema,
    ItemDescription: itemDescriptionSchema,
    FieldDescription: fieldDescriptionSchema,
    HiddenValue: hiddenValueSchema,
    ItemDraft: itemDraftSchema,
    ItemCategory: itemSchema.shape.category,
    ItemState: itemStateSchema,
    ItemUrl: itemSchema.shape.urls.def.element,
    Section: itemSchema.shape.sections.def.element,
    Field: fieldSchema,
    FieldDraft: fieldDraftSchema,
    Recipe: recipeSchema,
    FileDetails: fileDetailsSchema,
    FileDraft: fileDraftSchema,
    PatchOperation: patchOperationSchema,
    Vault: vaultSchema,
    VaultReference: itemSchema.shape.vault,
    ActivityEntry: activityEntrySchema,
    ErrorBody: errorBodySchema,
  }
}

/** Removes a pattern that repeats a format, and bounds that only mean a safe integer. */
function simplify(schema: JsonSchema): void {
  if (schema.format !== undefined) delete schema.pattern
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
}

function stripMeta({ $schema: _version, $id: _id, ...schema }: JsonSchema): JsonSchema {
  return schema
}

function operationSchema(schema: JsonSchema): OperationJsonSchemas {
  const { input, output } = schema.properties as Record<'input' | 'output', JsonSchema>
  const members = input.properties as Record<string, JsonSchema>
  return { members, required: input.required ?? [], output }
}

/** Parses the body of an error (contract, section 2.8). */
export const errorBodySchema = z.object({ status: z.int(), message: z.string() })

/**
 * The keywords of schemas that check a value with a function, the defaults that the service applies,
 * and the default limits. Only documents need them, so the schemas do not contain them.
 */
export const keywords = createKeywords()

function createKeywords() {
  const { characterSets, length } = recipeSchema.shape
  const { tags, urls, sections, fields } = itemDraftSchema.shape
  const url = urls.def.innerType.def.element
  const limits = limitOptions.read({})
  return z
    .registry<Readonly<Record<string, unknown>>>()
    .add(fieldDraftSchema, {
      if: { properties: { value: { type: 'null' } }, required: ['value'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { properties: { generate: { const: true } }, required: ['generate'] },
    })
    .add(fieldDraftSchema.shape.type.def.innerType, { enum: fieldTypes, default: 'STRING' })
    .add(characterSets.def.innerType, { uniqueItems: true })
    .add(length.def.innerType, { default: 32 })
    .add(tags.def.innerType, { maxItems: limits.tags })
    .add(urls.def.innerType, { maxItems: limits.urls })
    .add(sections.def.innerType, { maxItems: limits.sections })
    .add(fields.def.innerType, { maxItems: limits.fields })
    .add(patchSchema, { maxItems: limits.patchOperations })
    .add(url.shape.href, { pattern: hrefPattern.source })
    .add(getItemsInputSchema.shape.itemIds, { uniqueItems: true })
    .add(fileDetailsSchema.shape.content.def.innerType, { format: 'byte' })
    .add(fileDraftSchema.shape.content.def.innerType, { format: 'byte' })
}
