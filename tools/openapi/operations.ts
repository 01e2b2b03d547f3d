/** The documentation of each operation: its summary, its errors and the schemas of its input and result. */

import * as z from 'zod/mini'
import type { AnyOperation, Target } from '../../src/core/operation/define-operation.js'
import { operations } from '../../src/core/operations.js'
import type { MethodName } from '../../src/core/vault-service.js'
import { fieldSchema } from '../../src/schema/field.js'
import { fileDetailsSchema } from '../../src/schema/file.js'
import { fileIdSchema, idSchema } from '../../src/schema/ids.js'
import { itemDraftSchema, itemSchema } from '../../src/schema/item.js'
import { patchSchema } from '../../src/schema/patch.js'
import { vaultSchema } from '../../src/schema/vault.js'
import { activityEntrySchema } from './activity-entry-schema.js'

/** An id that can be chosen: those that begin otherwise are made by the vault. */
const chosenIdSchema = z.string().check(z.regex(/^[2-7a-z][\da-z]{25}$/))

/** Parses an ItemSummary. */
export const itemSummarySchema = z.omit(itemSchema, {
  sections: true,
  fields: true,
  files: true,
})

/** Parses an ItemVersion. */
export const itemVersionSchema = z.pick(itemSchema, {
  version: true,
  updatedAt: true,
  lastEditedBy: true,
})

/** Parses a HiddenValue. */
export const hiddenValueSchema = z.object({
  isSet: z.boolean(),
  hint: z.exactOptional(z.string()),
})

/** Parses a FieldDescription. */
export const fieldDescriptionSchema = z.extend(
  z.omit(fieldSchema, { value: true, entropy: true }),
  { value: z.exactOptional(z.union([z.string(), hiddenValueSchema])) },
)

/** Parses an ItemDescription. */
export const itemDescriptionSchema = z.extend(z.omit(itemSchema, { urls: true, fields: true }), {
  urls: z.array(
    z.object({
      href: z.exactOptional(z.string()),
      label: z.exactOptional(z.string()),
      primary: z.exactOptional(z.boolean()),
    }),
  ),
  fields: z.array(fieldDescriptionSchema),
})

/** An operation as it is documented. */
export interface DescribedOperation extends Pick<AnyOperation, 'summary' | 'errors'> {
  /** The whole input, in the contract dialect. */
  readonly input: z.ZodMiniObject
  /** The result; undefined if the operation returns nothing, or bytes. */
  readonly output: z.ZodMiniType | undefined
}

/** The result of each operation. The core does not need it, so it is not part of its bundle. */
export const outputs = describeOutputs()

/** Every operation as it is documented, by its name. */
export const describedOperations = describeOperations()

function describeOutputs() {
  return {
    listVaults: z.array(vaultSchema),
    createVault: vaultSchema,
    getVault: vaultSchema,
    updateVault: vaultSchema,
    deleteVault: undefined,
    listItems: z.array(itemSummarySchema),
    createItem: itemSchema,
    getItem: itemSchema,
    getField: fieldSchema,
    useField: z.string(),
    describeItem: itemDescriptionSchema,
    getItems: z.array(itemSchema),
    replaceItem: itemSchema,
    patchItem: itemSchema,
    regenerateField: itemSchema,
    deleteItem: undefined,
    setItemState: itemSchema,
    attachFile: fileDetailsSchema,
    removeFile: undefined,
    listFiles: z.array(fileDetailsSchema),
    getFileDetails: fileDetailsSchema,
    readFileContent: undefined,
    listVersions: z.array(itemVersionSchema),
    getVersion: itemSchema,
    restoreVersion: itemSchema,
    collectGarbage: z.int().check(z.gte(0)),
    listActivity: z.object({ entries: z.array(activityEntrySchema) }),
  } as const satisfies Record<MethodName, z.ZodMiniType | undefined>
}

function describeOperations(): Readonly<Record<MethodName, DescribedOperation>> {
  const inVault = { vaultId: idSchema }
  const ofItem = { ...inVault, itemId: idSchema }
  const ids: Readonly<Record<Target, z.core.$ZodShape>> = {
    service: {},
    newVault: { vaultId: z.optional(chosenIdSchema) },
    vault: inVault,
    newItem: { ...inVault, itemId: z.optional(idSchema) },
    item: ofItem,
    file: { ...ofItem, fileId: fileIdSchema },
  }
  const bodies: Readonly<Record<string, z.ZodMiniType>> = {
    item: itemDraftSchema,
    patch: patchSchema,
  }
  const results: Readonly<Record<string, z.ZodMiniType | undefined>> = outputs
  const described = Object.values(operations).map((operation: AnyOperation) => {
    const { name, summary, target, errors, body, input } = operation
    const shape = {
      ...ids[target],
      ...(body && { [body.name]: bodies[body.name] }),
      ...input?.shape,
    }
    return [name, { summary, errors, input: z.object(shape), output: results[name] }]
  })
  return Object.fromEntries(described)
}
