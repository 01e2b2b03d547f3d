import { describe, expect, it } from 'vitest'
import type * as z from 'zod/mini'
import type { VaultService } from '../../src/core/service.js'
import type { ErrorBody } from '../../src/errors.js'
import type { errorBodySchema } from '../../src/schema/error-body.js'
import type {
  CharacterSet,
  Field,
  FieldDraft,
  FieldPurpose,
  FieldType,
  fieldDraftSchema,
  fieldSchema,
  Recipe,
  recipeSchema,
  SectionReference,
} from '../../src/schema/field.js'
import type { FileDetails, fileDetailsSchema } from '../../src/schema/file.js'
import type {
  Item,
  ItemCategory,
  ItemDraft,
  ItemState,
  ItemSummary,
  ItemUrl,
  itemDraftSchema,
  itemSchema,
  ReadItem,
  Section,
  VaultReference,
} from '../../src/schema/item.js'
import type { itemSummarySchema, OperationName, operations } from '../../src/schema/operations.js'
import type { PatchOperation, patchOperationSchema } from '../../src/schema/patch.js'
import type { Vault, VaultType, vaultSchema } from '../../src/schema/vault.js'
import type { SameShape } from '../support/equal.js'

type ItemOut = z.output<typeof itemSchema>
type FieldOut = z.output<typeof fieldSchema>
type RecipeIn = NonNullable<z.input<typeof recipeSchema>['characterSets']>[number]

const interfaces = {
  Item: true satisfies SameShape<Item, ItemOut>,
  ItemDraft: true satisfies SameShape<ItemDraft, z.input<typeof itemDraftSchema>>,
  ReadItem: true satisfies SameShape<ReadItem, Omit<z.output<typeof itemDraftSchema>, 'id'>>,
  ItemSummary: true satisfies SameShape<ItemSummary, z.output<typeof itemSummarySchema>>,
  ItemCategory: true satisfies SameShape<ItemCategory, ItemOut['category']>,
  ItemState: true satisfies SameShape<ItemState, NonNullable<ItemOut['state']>>,
  ItemUrl: true satisfies SameShape<ItemUrl, ItemOut['urls'][number]>,
  Section: true satisfies SameShape<Section, ItemOut['sections'][number]>,
  VaultReference: true satisfies SameShape<VaultReference, ItemOut['vault']>,
  Field: true satisfies SameShape<Field, FieldOut>,
  FieldDraft: true satisfies SameShape<FieldDraft, z.input<typeof fieldDraftSchema>>,
  FieldType: true satisfies SameShape<FieldType, FieldOut['type']>,
  FieldPurpose: true satisfies SameShape<FieldPurpose, NonNullable<FieldOut['purpose']>>,
  SectionReference: true satisfies SameShape<SectionReference, NonNullable<FieldOut['section']>>,
  CharacterSet: true satisfies SameShape<CharacterSet, RecipeIn>,
  Recipe: true satisfies SameShape<Recipe, z.input<typeof recipeSchema>>,
  FileDetails: true satisfies SameShape<FileDetails, z.output<typeof fileDetailsSchema>>,
  Vault: true satisfies SameShape<Vault, z.output<typeof vaultSchema>>,
  VaultType: true satisfies SameShape<VaultType, z.output<typeof vaultSchema>['type']>,
  PatchOperation: true satisfies SameShape<PatchOperation, z.input<typeof patchOperationSchema>>,
  ErrorBody: true satisfies SameShape<ErrorBody, z.output<typeof errorBodySchema>>,
}

type InputOf<Name extends OperationName> = Omit<Parameters<VaultService[Name]>[1], 'content'>
type ReadInputOf<Name extends OperationName> = Omit<
  z.input<(typeof operations)[Name]['input']>,
  'content'
>
type AnswerOf<Name extends OperationName> = Awaited<ReturnType<VaultService[Name]>>

const operationInputs = {
  createVault: true satisfies SameShape<InputOf<'createVault'>, ReadInputOf<'createVault'>>,
  getVault: true satisfies SameShape<InputOf<'getVault'>, ReadInputOf<'getVault'>>,
  listItems: true satisfies SameShape<InputOf<'listItems'>, ReadInputOf<'listItems'>>,
  createItem: true satisfies SameShape<InputOf<'createItem'>, ReadInputOf<'createItem'>>,
  getItem: true satisfies SameShape<InputOf<'getItem'>, ReadInputOf<'getItem'>>,
  replaceItem: true satisfies SameShape<InputOf<'replaceItem'>, ReadInputOf<'replaceItem'>>,
  patchItem: true satisfies SameShape<InputOf<'patchItem'>, ReadInputOf<'patchItem'>>,
  deleteItem: true satisfies SameShape<InputOf<'deleteItem'>, ReadInputOf<'deleteItem'>>,
  attachFile: true satisfies SameShape<InputOf<'attachFile'>, ReadInputOf<'attachFile'>>,
  getFileDetails: true satisfies SameShape<
    InputOf<'getFileDetails'>,
    ReadInputOf<'getFileDetails'>
  >,
  readFileContent: true satisfies SameShape<
    InputOf<'readFileContent'>,
    ReadInputOf<'readFileContent'>
  >,
  listVersions: true satisfies SameShape<InputOf<'listVersions'>, ReadInputOf<'listVersions'>>,
  getVersion: true satisfies SameShape<InputOf<'getVersion'>, ReadInputOf<'getVersion'>>,
  restoreVersion: true satisfies SameShape<
    InputOf<'restoreVersion'>,
    ReadInputOf<'restoreVersion'>
  >,
  sweepBlobs: true satisfies SameShape<InputOf<'sweepBlobs'>, ReadInputOf<'sweepBlobs'>>,
} satisfies Record<OperationName, true>

type Outputs = {
  [Name in OperationName as (typeof operations)[Name]['output'] extends z.ZodMiniType
    ? Name
    : never]: (typeof operations)[Name]['output']
}

const operationOutputs = {
  createVault: true satisfies SameShape<AnswerOf<'createVault'>, z.output<Outputs['createVault']>>,
  getVault: true satisfies SameShape<AnswerOf<'getVault'>, z.output<Outputs['getVault']>>,
  listItems: true satisfies SameShape<AnswerOf<'listItems'>, z.output<Outputs['listItems']>>,
  createItem: true satisfies SameShape<AnswerOf<'createItem'>, z.output<Outputs['createItem']>>,
  getItem: true satisfies SameShape<AnswerOf<'getItem'>, z.output<Outputs['getItem']>>,
  replaceItem: true satisfies SameShape<AnswerOf<'replaceItem'>, z.output<Outputs['replaceItem']>>,
  patchItem: true satisfies SameShape<AnswerOf<'patchItem'>, z.output<Outputs['patchItem']>>,
  attachFile: true satisfies SameShape<AnswerOf<'attachFile'>, z.output<Outputs['attachFile']>>,
  getFileDetails: true satisfies SameShape<
    AnswerOf<'getFileDetails'>,
    z.output<Outputs['getFileDetails']>
  >,
  listVersions: true satisfies SameShape<
    AnswerOf<'listVersions'>,
    z.output<Outputs['listVersions']>
  >,
  getVersion: true satisfies SameShape<AnswerOf<'getVersion'>, z.output<Outputs['getVersion']>>,
  restoreVersion: true satisfies SameShape<
    AnswerOf<'restoreVersion'>,
    z.output<Outputs['restoreVersion']>
  >,
  sweepBlobs: true satisfies SameShape<AnswerOf<'sweepBlobs'>, z.output<Outputs['sweepBlobs']>>,
} satisfies Record<keyof Outputs, true>

// The compiler has read the proofs: each `true` stands only where the two types are the same.
describe('the documented types', () => {
  it.each(Object.entries(interfaces))('%s is what its schema reads', (_name, proof) => {
    expect(proof).toBe(true)
  })

  it.each(Object.entries(operationInputs))('%s is told what its schema takes', (_name, proof) => {
    expect(proof).toBe(true)
  })

  it.each(Object.entries(operationOutputs))('%s answers what its schema says', (_name, proof) => {
    expect(proof).toBe(true)
  })
})
