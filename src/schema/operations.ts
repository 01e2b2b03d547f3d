/** The table of operations: what each does, what it takes and answers, and how it says no. */

import * as z from 'zod/mini'
import type { ErrorCode } from '../error-codes.js'
import { activityEntrySchema, activityInputSchema } from './activity.js'
import { fileDetailsSchema } from './file.js'
import { fileIdSchema, idSchema } from './ids.js'
import {
  attachFileInputSchema,
  collectGarbageInputSchema,
  createVaultInputSchema,
  getItemsInputSchema,
  ifVersionInputSchema,
  inlineFilesInputSchema,
  pageInputSchema,
  setItemStateInputSchema,
  updateVaultInputSchema,
  versionInputSchema,
} from './inputs.js'
import { itemDraftSchema, itemSchema } from './item.js'
import { patchSchema } from './patch.js'
import { vaultSchema } from './vault.js'

/** The name of an operation of the service. */
export type OperationName =
  | 'listVaults'
  | 'createVault'
  | 'getVault'
  | 'updateVault'
  | 'deleteVault'
  | 'listItems'
  | 'createItem'
  | 'getItem'
  | 'getItems'
  | 'replaceItem'
  | 'patchItem'
  | 'deleteItem'
  | 'setItemState'
  | 'attachFile'
  | 'removeFile'
  | 'listFiles'
  | 'getFileDetails'
  | 'readFileContent'
  | 'listVersions'
  | 'getVersion'
  | 'restoreVersion'
  | 'collectGarbage'
  | 'listActivity'

/** What is known of an operation wherever it is offered. */
export interface Operation {
  /** One sentence without a full stop. */
  readonly summary: string
  /** The members of its input. */
  readonly input: z.ZodMiniObject
  /** What it answers; undefined for nothing, or for bytes. */
  readonly output: z.ZodMiniType | undefined
  /** The codes of the errors it foresees, besides those of a failing store. */
  readonly errors: readonly ErrorCode[]
}

/** Reads an ItemSummary. */
export const itemSummarySchema = /* @__PURE__ */ z.omit(itemSchema, {
  sections: true,
  fields: true,
  files: true,
})

/** Every operation of the service, by its name. What never asks for it has nothing of it in its bundle. */
export const operations = /* @__PURE__ */ describeOperations()

function describeOperations() {
  const inVault = { vaultId: idSchema }
  const ofItem = { ...inVault, itemId: idSchema }
  const ofFile = { ...ofItem, fileId: fileIdSchema }
  const { ifVersion } = ifVersionInputSchema.shape
  const refusals = ['INVALID_INPUT', 'UNAUTHORIZED', 'FORBIDDEN'] as const
  const reading = [...refusals, 'NOT_FOUND'] as const
  const changing = [...reading, 'CONFLICT', 'PRECONDITION_FAILED'] as const
  return {
    listVaults: {
      summary: 'Answers the vaults that the caller may read',
      input: pageInputSchema,
      output: z.array(vaultSchema),
      errors: ['INVALID_INPUT', 'UNAUTHORIZED'],
    },
    createVault: {
      summary: 'Creates a vault',
      input: z.extend(createVaultInputSchema, { vaultId: z.optional(idSchema) }),
      output: vaultSchema,
      errors: [...refusals, 'CONFLICT', 'GENERATION_FAILED'],
    },
    getVault: {
      summary: 'Answers a vault',
      input: z.object(inVault),
      output: vaultSchema,
      errors: reading,
    },
    updateVault: {
      summary: 'Renames or describes a vault',
      input: z.extend(updateVaultInputSchema, { ...inVault, ifVersion }),
      output: vaultSchema,
      errors: changing,
    },
    deleteVault: {
      summary: 'Removes a vault and everything in it for good',
      input: z.object({ ...inVault, ifVersion }),
      output: undefined,
      errors: [...changing, 'GENERATION_FAILED'],
    },
    listItems: {
      summary: 'Answers the items of a vault without their fields, sections and files',
      input: z.extend(pageInputSchema, inVault),
      output: z.array(itemSummarySchema),
      errors: reading,
    },
    createItem: {
      summary: 'Creates an item in a vault',
      input: z.object({ ...inVault, item: itemDraftSchema }),
      output: itemSchema,
      errors: [...reading, 'CONFLICT', 'GENERATION_FAILED'],
    },
    getItem: {
      summary: 'Answers an item',
      input: z.object(ofItem),
      output: itemSchema,
      errors: reading,
    },
    getItems: {
      summary: 'Answers many items in one call, without those that are not there',
      input: z.extend(getItemsInputSchema, inVault),
      output: z.array(itemSchema),
      errors: [...reading, 'CONTENT_TOO_LARGE'],
    },
    replaceItem: {
      summary: 'Replaces everything a client may set on an item',
      input: z.object({ ...ofItem, item: itemDraftSchema, ifVersion }),
      output: itemSchema,
      errors: [...changing, 'GENERATION_FAILED'],
    },
    patchItem: {
      summary: 'Changes a part of an item',
      input: z.object({ ...ofItem, patch: patchSchema, ifVersion }),
      output: itemSchema,
      errors: [...changing, 'GENERATION_FAILED'],
    },
    deleteItem: {
      summary: 'Removes an item and its files for good',
      input: z.object({ ...ofItem, ifVersion }),
      output: undefined,
      errors: [...changing, 'GENERATION_FAILED'],
    },
    setItemState: {
      summary: 'Archives an item, marks it as deleted, or takes it into use again',
      input: z.extend(setItemStateInputSchema, { ...ofItem, ifVersion }),
      output: itemSchema,
      errors: changing,
    },
    attachFile: {
      summary: 'Adds a file to an item',
      input: z.extend(attachFileInputSchema, { ...ofItem, content: z.unknown(), ifVersion }),
      output: fileDetailsSchema,
      errors: [...changing, 'GENERATION_FAILED'],
    },
    removeFile: {
      summary: 'Removes a file from an item for good',
      input: z.object({ ...ofFile, ifVersion }),
      output: undefined,
      errors: [...changing, 'GENERATION_FAILED'],
    },
    listFiles: {
      summary: 'Answers what is known of the files of an item, with their contents if asked',
      input: z.extend(inlineFilesInputSchema, ofItem),
      output: z.array(fileDetailsSchema),
      errors: reading,
    },
    getFileDetails: {
      summary: 'Answers what is known of a file, with its content if asked',
      input: z.extend(inlineFilesInputSchema, ofFile),
      output: fileDetailsSchema,
      errors: [...reading, 'CONTENT_TOO_LARGE'],
    },
    readFileContent: {
      summary: 'Answers the bytes of a file',
      input: z.object(ofFile),
      output: undefined,
      errors: reading,
    },
    listVersions: {
      summary: 'Answers which versions of an item there are',
      input: z.object(ofItem),
      output: z.array(z.pick(itemSchema, { version: true, updatedAt: true, lastEditedBy: true })),
      errors: reading,
    },
    getVersion: {
      summary: 'Answers an item as it was in one of its versions',
      input: z.extend(versionInputSchema, ofItem),
      output: itemSchema,
      errors: reading,
    },
    restoreVersion: {
      summary: 'Makes an item again what it was in one of its versions',
      input: z.extend(versionInputSchema, { ...ofItem, ifVersion }),
      output: itemSchema,
      errors: changing,
    },
    collectGarbage: {
      summary: 'Removes what a crash has left behind in a vault',
      input: z.extend(collectGarbageInputSchema, inVault),
      output: z.int().check(z.gte(0)),
      errors: [...reading, 'CONFLICT'],
    },
    listActivity: {
      summary: 'Answers what was done to the vaults that the caller may read',
      input: activityInputSchema,
      output: z.object({ entries: z.array(activityEntrySchema), total: z.int() }),
      errors: ['INVALID_INPUT', 'UNAUTHORIZED'],
    },
  } as const satisfies Record<OperationName, Operation>
}
