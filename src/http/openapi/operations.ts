/** The documentation of each operation: its summary, the schemas of its input and its result. */

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

/** The summary and the result of each operation. */
export const descriptions = /* @__PURE__ */ describe()

/** Every operation as it is documented, by its name. */
export const describedOperations = /* @__PURE__ */ describeOperations()

function describe() {
  return {
    listVaults: {
      summary: 'Returns the vaults that the caller can read',
      output: z.array(vaultSchema),
    },
    createVault: { summary: 'Creates a vault', output: vaultSchema },
    getVault: { summary: 'Returns a vault', output: vaultSchema },
    updateVault: { summary: 'Changes the name or the description of a vault', output: vaultSchema },
    deleteVault: { summary: 'Deletes a vault and its contents permanently', output: undefined },
    listItems: {
      summary: 'Returns the items of a vault without their fields, sections and files',
      output: z.array(itemSummarySchema),
    },
    createItem: { summary: 'Creates an item in a vault', output: itemSchema },
    getItem: { summary: 'Returns an item', output: itemSchema },
    getField: {
      summary: 'Returns one field of an item by its id or its label',
      output: fieldSchema,
    },
    getItems: {
      summary: 'Returns several items of a vault, without those that do not exist',
      output: z.array(itemSchema),
    },
    replaceItem: {
      summary: 'Replaces everything of an item that a client can set',
      output: itemSchema,
    },
    patchItem: { summary: 'Changes a part of an item', output: itemSchema },
    regenerateField: {
      summary: 'Generates the value of a field again',
      output: itemSchema,
    },
    deleteItem: { summary: 'Deletes an item and its files permanently', output: undefined },
    setItemState: {
      summary: 'Archives an item, marks it as deleted, or makes it active again',
      output: itemSchema,
    },
    attachFile: { summary: 'Adds a file to an item', output: fileDetailsSchema },
    removeFile: { summary: 'Removes a file from an item permanently', output: undefined },
    listFiles: {
      summary: 'Returns the details of the files of an item, with their contents on request',
      output: z.array(fileDetailsSchema),
    },
    getFileDetails: {
      summary: 'Returns the details of a file, with its content on request',
      output: fileDetailsSchema,
    },
    readFileContent: { summary: 'Returns the content of a file', output: undefined },
    listVersions: {
      summary: 'Returns the versions of an item',
      output: z.array(itemVersionSchema),
    },
    getVersion: { summary: 'Returns an item as it was in one of its versions', output: itemSchema },
    restoreVersion: {
      summary: 'Restores the content of a version as the next version of an item',
      output: itemSchema,
    },
    collectGarbage: {
      summary: 'Deletes data of a vault that crashes have left behind',
      output: z.int().check(z.gte(0)),
    },
    listActivity: {
      summary: 'Returns the activity of the vaults that the caller can read',
      output: z.object({ entries: z.array(activityEntrySchema), total: z.int() }),
    },
  } as const satisfies Record<OperationName, Pick<DescribedOperation, 'summary' | 'output'>>
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
  const all: Readonly<Record<string, Pick<DescribedOperation, 'summary' | 'output'>>> = descriptions
  const described = Object.values(operations).map((operation: AnyOperation) => {
    const { name, target, body, input, errors } = operation
    const shape = {
      ...ids[target],
      ...(body && { [body.name]: bodies[body.name] }),
      ...input?.shape,
    }
    return [name, { ...all[name], input: z.object(shape), errors }]
  })
  return Object.fromEntries(described)
}
