/** What the schemas say, as JSON Schema: every shape that has a name, and every operation's input and output. */

import * as z from 'zod/mini'
import type { OperationName } from '../../core/operations.js'
import { activityEntrySchema } from '../../schema/activity.js'
import { fieldDraftSchema, fieldSchema, recipeSchema } from '../../schema/field.js'
import { fileDetailsSchema, fileDraftSchema } from '../../schema/file.js'
import { itemDraftSchema, itemSchema, itemStateSchema } from '../../schema/item.js'
import { patchOperationSchema } from '../../schema/patch.js'
import { vaultSchema } from '../../schema/vault.js'
import { describedOperations, itemSummarySchema, itemVersionSchema } from './operations.js'

/** A JSON Schema (draft 2020-12), without `$schema` and `$id`. */
export type JsonSchema = z.core.JSONSchema.BaseSchema

/** What an operation is told and answers. */
export interface JsonSchemasOfOperation {
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
  readonly shapes: Readonly<Record<string, JsonSchema>>
  readonly operations: Readonly<Record<OperationName, JsonSchemasOfOperation>>
}

/**
 * All of it, made anew by each call. A shape with a name stands as `{ $ref: refTo(name) }` wherever another schema has
 * it. Objects are open: attributes that a schema does not list may be there.
 */
export function jsonSchemas(refTo: (name: string) => string): JsonSchemas {
  const named = namedShapes()
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
    override: ({ jsonSchema }) => simplify(jsonSchema),
  })
  const found = Object.entries(schemas)
  return {
    shapes: Object.fromEntries(
      found.filter(([name]) => name in named).map(([name, schema]) => [name, stripMeta(schema)]),
    ),
    operations: Object.fromEntries(
      found
        .filter(([name]) => name in describedOperations)
        .map(([name, schema]) => [name, operationSchema(schema)]),
    ) as Record<OperationName, JsonSchemasOfOperation>,
  }
}

/** The shapes that are spoken of by name, by the names of their TypeScript types. */
function namedShapes(): Readonly<Record<string, z.ZodMiniType>> {
  return {
    Item: itemSchema,
    ItemSummary: itemSummarySchema,
    ItemVersion: itemVersionSchema,
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

function operationSchema(schema: JsonSchema): JsonSchemasOfOperation {
  const { input, output } = schema.properties as Record<'input' | 'output', JsonSchema>
  const members = input.properties as Record<string, JsonSchema>
  return { members, required: input.required ?? [], output }
}

/** Reads an error body (contract, section 2.8). */
export const errorBodySchema = z.object({ status: z.int(), message: z.string() })
