/** The schemas of the operations' inputs, without the ids of a vault, an item or a file. */

import { recipeSchema } from './field.js'
import { fileIdSchema, idSchema } from './ids.js'
import { secretUseSchema } from './secret-use.js'
import * as z from './zod.js'

/** The maximum number of items that one call of `getItems` can read. */
const maxItemIds = 100

/** Parses `ifVersion`. No item has version 0, so a change that requires it is rejected with 412. */
export const ifVersionInputSchema = z.object({ ifVersion: z.optional(z.int().check(z.gte(0))) })

/** Parses the input of every list: a filter, and the page of the results that match it. */
export const pageInputSchema = z.object({
  filter: z.optional(z.string().check(z.maxLength(4096))),
  /** The maximum number of results. */
  limit: z.optional(z.int().check(z.gte(1), z.lte(1000))),
  /** Only results with a greater id. */
  after: z.optional(idSchema),
  ignoreCase: z.optional(z.boolean()),
  sortOrder: z.optional(z.enum(['ascending', 'descending'])),
})

/** Parses the input of `listItems`. */
export const listItemsInputSchema = z.extend(pageInputSchema, {
  sortBy: z.optional(z.enum(['title', 'createdAt', 'updatedAt', 'category'])),
})

/** Parses the input of `listVaults`. */
export const listVaultsInputSchema = z.extend(pageInputSchema, {
  sortBy: z.optional(z.enum(['name', 'createdAt', 'updatedAt'])),
})

const vaultNameSchema = z.string().check(z.minLength(1))

/** Parses the input of `createVault`. */
export const createVaultInputSchema = z.object({
  name: vaultNameSchema,
  description: z.optional(z.string()),
})

/** Parses the changes that `updateVault` makes. Null removes the description. */
export const updateVaultInputSchema = z.extend(ifVersionInputSchema, {
  name: z.optional(vaultNameSchema),
  description: z.optional(z.nullable(z.string())),
})

/** Parses the ids that `getItems` reads: 1 to 100, without duplicates. */
export const getItemsInputSchema = z.object({
  itemIds: z.array(idSchema).check(
    z.minLength(1),
    z.maxLength(maxItemIds),
    z.refine((ids) => new Set(ids).size === ids.length, 'must not contain duplicates'),
  ),
})

/** Parses the names of the field that `getField` returns, and of its section. */
export const getFieldInputSchema = z.object({
  field: z.string(),
  section: z.optional(z.string()),
})

/** Parses the input of `useField`. */
export const useFieldInputSchema = z.extend(getFieldInputSchema, { use: secretUseSchema })

/** Parses the state that `setItemState` sets. `ACTIVE`, undefined and null mean an active item. */
export const setItemStateInputSchema = z.extend(ifVersionInputSchema, {
  state: z.optional(z.nullable(z.enum(['ACTIVE', 'ARCHIVED', 'DELETED']))),
})

/** Parses the field whose value `regenerateField` generates, and the recipe. */
export const regenerateFieldInputSchema = z.extend(ifVersionInputSchema, {
  fieldId: z.string(),
  recipe: z.optional(recipeSchema),
})

/** Parses the version of an item that an operation reads or restores. */
export const versionInputSchema = z.object({ version: z.int().check(z.gte(1)) })

/** Parses `inlineFiles`: true to return the contents of files. */
export const inlineFilesInputSchema = z.object({ inlineFiles: z.optional(z.boolean()) })

/** Parses the input of `attachFile`, without the content. */
export const attachFileInputSchema = z.object({
  name: z.string().check(z.minLength(1)),
  sectionId: z.optional(z.string()),
  fileId: z.optional(fileIdSchema),
  ...ifVersionInputSchema.shape,
})

/** Parses the age from which `collectGarbage` removes data, in milliseconds, at least 60,000. */
export const collectGarbageInputSchema = z.object({
  minAgeMs: z.optional(z.int().check(z.gte(60_000))),
})
