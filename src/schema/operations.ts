/** The table of operations: what each does, what it takes and answers, and how it says no. */

import * as z from 'zod/mini'
import type { ErrorCode } from '../errors.js'
import { fileDetailsSchema, newFileSchema, sweepInputSchema } from './file.js'
import { fileIdSchema, idSchema } from './id.js'
import { itemDraftSchema, itemSchema, versionInputSchema } from './item.js'
import { patchSchema } from './patch.js'
import { newVaultSchema, vaultSchema } from './vault.js'

/** The name of an operation of the service. */
export type OperationName =
  | 'createVault'
  | 'getVault'
  | 'listItems'
  | 'createItem'
  | 'getItem'
  | 'replaceItem'
  | 'patchItem'
  | 'deleteItem'
  | 'attachFile'
  | 'getFileDetails'
  | 'readFileContent'
  | 'listVersions'
  | 'getVersion'
  | 'restoreVersion'
  | 'sweepBlobs'

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
export const itemSummarySchema = z.omit(itemSchema, { sections: true, fields: true, files: true })

const inVault = { vaultId: idSchema }
const ofItem = { ...inVault, itemId: idSchema }
const ofFile = { ...ofItem, fileId: fileIdSchema }
const ifVersion = z.optional(z.int().check(z.gte(0)))
const refusals = ['INVALID_INPUT', 'UNAUTHORIZED', 'FORBIDDEN'] as const
const reading = [...refusals, 'NOT_FOUND'] as const
const changing = [...reading, 'CONFLICT', 'PRECONDITION_FAILED'] as const

/** Every operation of the service, by its name. */
export const operations = {
  createVault: {
    summary: 'Creates a vault',
    input: z.extend(newVaultSchema, { vaultId: z.optional(idSchema) }),
    output: vaultSchema,
    errors: [...refusals, 'CONFLICT', 'GENERATION_FAILED'],
  },
  getVault: {
    summary: 'Answers a vault',
    input: z.object(inVault),
    output: vaultSchema,
    errors: reading,
  },
  listItems: {
    summary: 'Answers the items of a vault without their fields, sections and files',
    input: z.object({ ...inVault, filter: z.optional(z.string()) }),
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
  attachFile: {
    summary: 'Adds a file to an item',
    input: z.extend(newFileSchema, { ...ofItem, content: z.unknown() }),
    output: fileDetailsSchema,
    errors: [...reading, 'CONFLICT', 'GENERATION_FAILED'],
  },
  getFileDetails: {
    summary: 'Answers what is known of a file, with its content if asked',
    input: z.object({ ...ofFile, inlineFiles: z.optional(z.boolean()) }),
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
  sweepBlobs: {
    summary: 'Removes what a crash has left behind in a vault',
    input: z.extend(sweepInputSchema, inVault),
    output: z.int().check(z.gte(0)),
    errors: reading,
  },
} as const satisfies Record<OperationName, Operation>
