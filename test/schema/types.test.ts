import { describe, expect, it } from 'vitest'
import type * as z from 'zod/mini'
import type { InputBody, Operation } from '../../src/core/define-operation.js'
import type { OperationName, operations } from '../../src/core/operations.js'
import type { VaultService } from '../../src/core/vault-service.js'
import type { ErrorBody } from '../../src/error-codes.js'
import type { errorBodySchema } from '../../src/http/openapi/json-schema.js'
import type { descriptions, itemSummarySchema } from '../../src/http/openapi/operations.js'
import type { ActivityEntry, recordedEntrySchema } from '../../src/schema/activity.js'
import type {
  CharacterSet,
  Field,
  FieldDraft,
  FieldPurpose,
  fieldDraftSchema,
  fieldSchema,
  Recipe,
  recipeSchema,
  SectionReference,
} from '../../src/schema/field.js'
import type {
  FileDetails,
  FileDraft,
  fileDetailsSchema,
  fileDraftSchema,
} from '../../src/schema/file.js'
import type {
  Item,
  ItemCategory,
  ItemDraft,
  ItemState,
  ItemSummary,
  ItemUrl,
  itemDraftSchema,
  itemSchema,
  ManagedAttribute,
  ParsedItem,
  Section,
  VaultReference,
} from '../../src/schema/item.js'
import type { PatchOperation, patchOperationSchema } from '../../src/schema/patch.js'
import type { Vault, VaultType, vaultSchema } from '../../src/schema/vault.js'
import type { SameShape } from '../support/equal.js'

type ItemOut = z.output<typeof itemSchema>
type FieldOut = z.output<typeof fieldSchema>
type RecipeIn = NonNullable<z.input<typeof recipeSchema>['characterSets']>[number]

const interfaces = {
  Item: true satisfies SameShape<Item, ItemOut>,
  ItemDraft: true satisfies SameShape<ItemDraft, z.input<typeof itemDraftSchema>>,
  ParsedItem: true satisfies SameShape<
    Omit<ParsedItem, 'fields'>,
    Omit<z.output<typeof itemDraftSchema>, 'id' | 'fields' | ManagedAttribute>
  >,
  ItemSummary: true satisfies SameShape<ItemSummary, z.output<typeof itemSummarySchema>>,
  ItemCategory: true satisfies SameShape<ItemCategory, ItemOut['category']>,
  ItemState: true satisfies SameShape<ItemState, NonNullable<ItemOut['state']>>,
  ItemUrl: true satisfies SameShape<ItemUrl, ItemOut['urls'][number]>,
  Section: true satisfies SameShape<Section, ItemOut['sections'][number]>,
  VaultReference: true satisfies SameShape<VaultReference, ItemOut['vault']>,
  Field: true satisfies SameShape<Field, FieldOut>,
  FieldDraft: true satisfies SameShape<FieldDraft, z.input<typeof fieldDraftSchema>>,
  FieldPurpose: true satisfies SameShape<FieldPurpose, NonNullable<FieldOut['purpose']>>,
  SectionReference: true satisfies SameShape<SectionReference, NonNullable<FieldOut['section']>>,
  CharacterSet: true satisfies SameShape<CharacterSet, RecipeIn>,
  Recipe: true satisfies SameShape<Recipe, z.input<typeof recipeSchema>>,
  FileDetails: true satisfies SameShape<FileDetails, z.output<typeof fileDetailsSchema>>,
  FileDraft: true satisfies SameShape<FileDraft, z.input<typeof fileDraftSchema>>,
  Vault: true satisfies SameShape<Vault, z.output<typeof vaultSchema>>,
  VaultType: true satisfies SameShape<VaultType, z.output<typeof vaultSchema>['type']>,
  PatchOperation: true satisfies SameShape<PatchOperation, z.input<typeof patchOperationSchema>>,
  ActivityEntry: true satisfies SameShape<ActivityEntry, z.output<typeof recordedEntrySchema>>,
  ErrorBody: true satisfies SameShape<ErrorBody, z.output<typeof errorBodySchema>>,
}

type InputOf<Name extends OperationName> = Omit<Parameters<VaultService[Name]>[1], 'content'>
type IdsOf = {
  readonly service: unknown
  readonly newVault: { readonly vaultId?: string | undefined }
  readonly vault: { readonly vaultId: string }
  readonly item: { readonly vaultId: string; readonly itemId: string }
  readonly file: { readonly vaultId: string; readonly itemId: string; readonly fileId: string }
}
type BodiesOf = {
  readonly item: { readonly item: ItemDraft }
  readonly patch: { readonly patch: readonly PatchOperation[] }
}
type Flat<Type> = { [Key in keyof Type]: Type[Key] }
/** The input of an operation as its definition reads it. */
type ReadInputOf<Name extends OperationName> =
  (typeof operations)[Name] extends Operation<
    Name,
    infer Target,
    infer Body,
    infer Input,
    infer _Result
  >
    ? Omit<
        Flat<
          IdsOf[Target] &
            (Body extends InputBody<infer Member extends keyof BodiesOf, unknown>
              ? BodiesOf[Member]
              : unknown) &
            (Input extends z.ZodMiniObject ? z.input<Input> : unknown)
        >,
        'content'
      >
    : never
type AnswerOf<Name extends OperationName> = Awaited<ReturnType<VaultService[Name]>>

type Takes<Name extends OperationName> = SameShape<InputOf<Name>, ReadInputOf<Name>>

const operationInputs = {
  listVaults: true satisfies Takes<'listVaults'>,
  createVault: true satisfies Takes<'createVault'>,
  getVault: true satisfies Takes<'getVault'>,
  updateVault: true satisfies Takes<'updateVault'>,
  deleteVault: true satisfies Takes<'deleteVault'>,
  listItems: true satisfies Takes<'listItems'>,
  createItem: true satisfies Takes<'createItem'>,
  getItem: true satisfies Takes<'getItem'>,
  getItems: true satisfies Takes<'getItems'>,
  replaceItem: true satisfies Takes<'replaceItem'>,
  patchItem: true satisfies Takes<'patchItem'>,
  deleteItem: true satisfies Takes<'deleteItem'>,
  setItemState: true satisfies Takes<'setItemState'>,
  attachFile: true satisfies Takes<'attachFile'>,
  removeFile: true satisfies Takes<'removeFile'>,
  listFiles: true satisfies Takes<'listFiles'>,
  getFileDetails: true satisfies Takes<'getFileDetails'>,
  readFileContent: true satisfies Takes<'readFileContent'>,
  listVersions: true satisfies Takes<'listVersions'>,
  getVersion: true satisfies Takes<'getVersion'>,
  restoreVersion: true satisfies Takes<'restoreVersion'>,
  collectGarbage: true satisfies Takes<'collectGarbage'>,
  listActivity: true satisfies Takes<'listActivity'>,
} satisfies Record<OperationName, true>

type Outputs = {
  [Name in OperationName as (typeof descriptions)[Name]['output'] extends z.ZodMiniType
    ? Name
    : never]: (typeof descriptions)[Name]['output']
}

/** In process an entry of the activity log has members that are not published over HTTP. */
type PublishedPage = {
  readonly entries: readonly Omit<ActivityEntry, 'clientRequestId' | 'omitted'>[]
  readonly total: number
}

type Answers<Name extends keyof Outputs> = SameShape<AnswerOf<Name>, z.output<Outputs[Name]>>

const operationOutputs = {
  listVaults: true satisfies Answers<'listVaults'>,
  createVault: true satisfies Answers<'createVault'>,
  getVault: true satisfies Answers<'getVault'>,
  updateVault: true satisfies Answers<'updateVault'>,
  listItems: true satisfies Answers<'listItems'>,
  createItem: true satisfies Answers<'createItem'>,
  getItem: true satisfies Answers<'getItem'>,
  getItems: true satisfies Answers<'getItems'>,
  replaceItem: true satisfies Answers<'replaceItem'>,
  patchItem: true satisfies Answers<'patchItem'>,
  setItemState: true satisfies Answers<'setItemState'>,
  attachFile: true satisfies Answers<'attachFile'>,
  listFiles: true satisfies Answers<'listFiles'>,
  getFileDetails: true satisfies Answers<'getFileDetails'>,
  listVersions: true satisfies Answers<'listVersions'>,
  getVersion: true satisfies Answers<'getVersion'>,
  restoreVersion: true satisfies Answers<'restoreVersion'>,
  collectGarbage: true satisfies Answers<'collectGarbage'>,
  listActivity: true satisfies SameShape<PublishedPage, z.output<Outputs['listActivity']>>,
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
