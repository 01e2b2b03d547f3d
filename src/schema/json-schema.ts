/** What the schemas say, as JSON Schema: every shape that has a name, and every operation's input and output. */

import * as z from 'zod/mini'
import { activityEntrySchema } from './activity.js'
import { fieldDraftSchema, fieldSchema, recipeSchema } from './field.js'
import { fileDetailsSchema, fileDraftSchema } from './file.js'
import { itemDraftSchema, itemSchema, itemStateSchema } from './item.js'
import { itemSummarySchema, type OperationName, operations } from './operations.js'
import { patchOperationSchema } from './patch.js'
import { vaultSchema } from './vault.js'

/** A JSON Schema (draft 2020-12), without `$schema` and `$id`. */
export type JsonSchema = z.core.JSONSchema.BaseSchema

/** What an operation is told and answers. */
export interface OperationJsonSchemas {
  /** Each member of its input. */
  readonly members: Readonly<Record<string, JsonSchema>>
  /** The members that must be there. */
  readonly required: readonly string[]
  /** What it answers; undefined for nothing, or for bytes. */
  readonly output: JsonSchema | undefined
}

/** What all the schemas say. */
export interface JsonSchemas {
  /** Shapes by the names of their TypeScript types. */
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly operations: Readonly<Record<OperationName, OperationJsonSchemas>>
}

/**
 * All of it, made anew by each call. A shape with a name stands as `{ $ref: refTo(name) }` wherever another schema has
 * it. Objects are open: attributes that a schema does not list may be there.
 */
export function toJsonSchemas(refTo: (name: string) => string): JsonSchemas {
  const named = namedSchemas()
  const registry = z.registry<{ id: string }>()
  for (const [name, schema] of Object.entries(named)) registry.add(schema, { id: name })
  for (const [name, { input, output }] of Object.entries(operations))
    registry.add(output === undefined ? z.object({ input }) : z.object({ input, output }), {
      id: name,
    })
  const { schemas } = z.toJSONSchema(registry, {
    target: 'draft-2020-12',
    io: 'input',
    uri: refTo,
    override: ({ jsonSchema }) => simplify(jsonSchema),
  })
  const found = Object.entries(schemas)
  return {
    schemas: Object.fromEntries(
      found.filter(([name]) => name in named).map(([name, schema]) => [name, stripMeta(schema)]),
    ),
    operations: Object.fromEntries(
      found
        .filter(([name]) => name in operations)
        .map(([name, schema]) => [name, operationSchema(schema)]),
    ) as Record<OperationName, OperationJsonSchemas>,
  }
}

/** The shapes that are spoken of by name, by the names of their TypeScript types. */
function namedSchemas(): Readonly<Record<string, z.ZodMiniType>> {
  return {
    Item: itemSchema,
    ItemSummary: itemSummarySchema,
    ItemVersion: operations.listVersions.output.def.element,
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

/** Leaves out what a format says already, and that an integer is one that JavaScript can count to. */
function simplify(schema: JsonSchema): void {
  if (schema.format !== undefined) delete schema.pattern
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
}

function stripMeta({ $schema: _version, $id: _place, ...schema }: JsonSchema): JsonSchema {
  return schema
}

function operationSchema(schema: JsonSchema): OperationJsonSchemas {
  const { input, output } = schema.properties as Record<'input' | 'output', JsonSchema>
  const members = input.properties as Record<string, JsonSchema>
  return { members, required: input.required ?? [], output }
}

/** Reads an error body (contract, section 2.8). */
export const errorBodySchema = z.object({ status: z.int(), message: z.string() })
