/** The documentation of each operation: summary, errors, and the schemas of input and result. */

import * as z from 'zod/mini'
import type { AnyOperation, Target } from '../../core/define-operation.js'
import { operations } from '../../core/operations.js'
import type { OperationName } from '../../core/vault-service.js'
import type { ErrorCode } from '../../error-codes.js'
import { fieldSchema } from '../../schema/field.js'
import { fileDetailsSchema } from '../../schema/file.js'
import { fileIdSchema, idSchema } from '../../schema/ids.js'
import { itemDraftSchema, itemSchema } from '../../schema/item.js'
import { patchSchema } from '../../schema/patch.js'
import { vaultSchema } from '../../schema/vault.js'
import { activityEntrySchema } from './activity-entry-schema.js'

/** Parses an ItemSummary. */
export const itemSummarySchema = /* @__PURE__ */ z.omit(itemSchema, {
  sections: true,
  fields: true,
  files: true,
})

/** Parses an ItemVersion. */
export const itemVersionSchema = /* @__PURE__ */ z.pick(itemSchema, {
  version: true,
  updatedAt: true,
  lastEditedBy: true,
})

/** An operation as it is documented. */
export interface DescribedOperation {
  /** One sentence without a full stop. */
  readonly summary: string
  /** The whole input, in the contract dialect. */
  readonly input: z.ZodMiniObject
  /** The result; undefined if the operation returns nothing, or bytes. */
  readonly output: z.ZodMiniType | undefined
  /** The codes of the operation's errors, besides those that every route can return. */
  readonly errors: readonly ErrorCode[]
}

/** The documentation that the core does not need, so that it is not part of its bundle. */
type Description = Omit<DescribedOperation, 'input'>

/** The summary, the errors and the result of each operation. */
export const descriptions = /* @__PURE__ */ describe()

/** Every operation as it is documented, by its name. */
export const describedOperations = /* @__PURE__ */ describeOperations()

function describe() {
  const list = ['INVALID_INPUT', 'UNAUTHORIZED'] as const
  const create = [...list, 'FORBIDDEN'] as const
  const read = [...create, 'NOT_FOUND'] as const
  const change = [...read, 'CONFLICT', 'PRECONDITION_FAILED'] as const
  const generate = [...change, 'GENERATION_FAILED'] as const
  return {
    listVaults: {
      summary: 'Returns the vaults that the caller can read',
      errors: list,
      output: z.array(vaultSchema),
    },
    createVault: {
      summary: 'Creates a vault',
      errors: [...create, 'CONFLICT', 'GENERATION_FAILED'],
      output: vaultSchema,
    },
    getVault: { summary: 'Returns a vault', errors: read, output: vaultSchema },
    updateVault: {
      summary: 'Changes the name or the description of a vault',
      errors: change,
      output: vaultSchema,
    },
    deleteVault: {
      summary: 'Deletes a vault and its contents permanently',
      errors: generate,
      output: undefined,
    },
    listItems: {
      summary: 'Returns the items of a vault without their fields, sections and files',
      errors: read,
      output: z.array(itemSummarySchema),
    },
    createItem: {
      summary: 'Creates an item in a vault',
      errors: [...read, 'CONFLICT', 'GENERATION_FAILED'],
      output: itemSchema,
    },
    getItem: { summary: 'Returns an item', errors: read, output: itemSchema },
    getField: {
      summary: 'Returns one field of an item by its id or its label',
      errors: read,
      output: fieldSchema,
    },
    getItems: {
      summary: 'Returns several items of a vault, without those that do not exist',
      errors: [...read, 'CONTENT_TOO_LARGE'],
      output: z.array(itemSchema),
    },
    replaceItem: {
      summary: 'Replaces everything of an item that a client can set',
      errors: generate,
      output: itemSchema,
    },
    patchItem: { summary: 'Changes a part of an item', errors: generate, output: itemSchema },
    regenerateField: {
      summary: 'Generates the value of a field again',
      errors: generate,
      output: itemSchema,
    },
    deleteItem: {
      summary: 'Deletes an item and its files permanently',
      errors: generate,
      output: undefined,
    },
    setItemState: {
      summary: 'Archives an item, marks it as deleted, or makes it active again',
      errors: change,
      output: itemSchema,
    },
    attachFile: { summary: 'Adds a file to an item', errors: generate, output: fileDetailsSchema },
    removeFile: {
      summary: 'Removes a file from an item permanently',
      errors: generate,
      output: undefined,
    },
    listFiles: {
      summary: 'Returns the details of the files of an item, with their contents on request',
      errors: read,
      output: z.array(fileDetailsSchema),
    },
    getFileDetails: {
      summary: 'Returns the details of a file, with its content on request',
      errors: [...read, 'CONTENT_TOO_LARGE'],
      output: fileDetailsSchema,
    },
    readFileContent: { summary: 'Returns the content of a file', errors: read, output: undefined },
    listVersions: {
      summary: 'Returns the versions of an item',
      errors: read,
      output: z.array(itemVersionSchema),
    },
    getVersion: {
      summary: 'Returns an item as it was in one of its versions',
      errors: read,
      output: itemSchema,
    },
    restoreVersion: {
      summary: 'Restores the content of a version as the next version of an item',
      errors: change,
      output: itemSchema,
    },
    collectGarbage: {
      summary: 'Deletes data of a vault that crashes have left behind',
      errors: [...read, 'CONFLICT'],
      output: z.int().check(z.gte(0)),
    },
    listActivity: {
      summary: 'Returns the activity of the vaults that the caller can read',
      errors: list,
      output: z.object({ entries: z.array(activityEntrySchema), total: z.int() }),
    },
  } as const satisfies Record<OperationName, Description>
}

function describeOperations(): Readonly<Record<OperationName, DescribedOperation>> {
  const inVault = { vaultId: idSchema }
  const ofItem = { ...inVault, itemId: idSchema }
  const ids: Readonly<Record<Target, z.core.$ZodShape>> = {
    service: {},
    newVault: { vaultId: z.optional(idSchema) },
    vault: inVault,
    item: ofItem,
    file: { ...ofItem, fileId: fileIdSchema },
  }
  const bodies: Readonly<Record<string, z.ZodMiniType>> = {
    item: itemDraftSchema,
    patch: patchSchema,
  }
  const all: Readonly<Record<string, Description>> = descriptions
  const described = Object.values(operations).map((operation: AnyOperation) => {
    const { name, target, body, input } = operation
    const shape = {
      ...ids[target],
      ...(body && { [body.name]: bodies[body.name] }),
      ...input?.shape,
    }
    return [name, { ...all[name], input: z.object(shape) }]
  })
  return Object.fromEntries(described)
}
