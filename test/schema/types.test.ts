import { describe, expect, it } from 'vitest'
import type * as z from 'zod/mini'
import type { recordedEntrySchema } from '../../src/activity/list-entries.js'
import type { connectionOperations } from '../../src/core/connections/connection-operations.js'
import type { CreateItemInput } from '../../src/core/items/create-item.js'
import type { ReplaceItemInput } from '../../src/core/items/replace-item.js'
import type { InputBody, Operation } from '../../src/core/operation/define-operation.js'
import type { operations } from '../../src/core/operations.js'
import type { MethodName, OperationName, VaultService } from '../../src/core/vault-service.js'
import type { ErrorBody } from '../../src/errors.js'
import type { ActivityEntry } from '../../src/schema/activity-entry.js'
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
import type { errorBodySchema } from '../../tools/openapi/json-schema.js'
import type { itemSummarySchema, outputs } from '../../tools/openapi/operations.js'

/** `true` if the two types are identical, `false` otherwise. */
type Equal<Left, Right> =
  (<Type>() => Type extends Left ? 1 : 2) extends <Type>() => Type extends Right ? 1 : 2
    ? true
    : false

/** The type without `readonly` and with `string` in place of open string unions, at all levels. */
type Mutable<Type> = string extends Type
  ? string
  : Type extends object
    ? { -readonly [Key in keyof Type]: Mutable<Type[Key]> }
    : Type

/** `true` if the two types are identical except for `readonly` and `string & {}`. */
type SameShape<Left, Right> = Equal<Mutable<Left>, Mutable<Right>>

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

type InputOf<Name extends MethodName> = Omit<
  NonNullable<Parameters<VaultService[Name]>[1]>,
  'content'
>
type IdsOf = {
  readonly service: unknown
  readonly newVault: { readonly vaultId?: string | undefined }
  readonly vault: { readonly vaultId: string }
  readonly newItem: { readonly vaultId: string; readonly itemId?: string | undefined }
  readonly item: { readonly vaultId: string; readonly itemId: string }
  readonly file: { readonly vaultId: string; readonly itemId: string; readonly fileId: string }
}
type BodiesOf = {
  readonly item: { readonly item: ItemDraft }
  readonly patch: { readonly patch: readonly PatchOperation[] }
}
type Flat<Type> = { [Key in keyof Type]: Type[Key] }
/** The input of an operation as its definition parses it. */
type ParsedInputOf<Name extends MethodName> =
  (typeof operations)[Name] extends Operation<
    Name,
    infer Target,
    infer Body,
    infer Input,
    infer _Result,
    infer _OwnInput
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
type ResultOf<Name extends MethodName> = Awaited<ReturnType<VaultService[Name]>>

type HasInput<Name extends MethodName> = SameShape<InputOf<Name>, ParsedInputOf<Name>>

/** The operations whose item may leave its vault out. */
type DraftMethod = 'createItem' | 'replaceItem'

/** The operations whose input has another type than its schema. */
type WrongInput = {
  [Name in Exclude<MethodName, DraftMethod>]: HasInput<Name> extends true ? never : Name
}[Exclude<MethodName, DraftMethod>]

type Outputs = {
  [Name in MethodName as (typeof outputs)[Name] extends z.ZodMiniType
    ? Name
    : never]: (typeof outputs)[Name]
}

/** A page of the activity log over HTTP, where every member of extensions can be absent. */
type PublishedPage = {
  readonly entries: readonly (Omit<ActivityEntry, 'actor' | 'operation' | 'code'> & {
    readonly operation?: string
    readonly code?: string
    readonly actor: Omit<ActivityEntry['actor'], 'requestIp'> & { readonly ip?: string }
  })[]
}

type HasOutput<Name extends keyof Outputs> = SameShape<ResultOf<Name>, z.output<Outputs[Name]>>

/** The operations whose result has another type than its schema. */
type WrongOutput = {
  [Name in Exclude<keyof Outputs, 'listActivity'>]: HasOutput<Name> extends true ? never : Name
}[Exclude<keyof Outputs, 'listActivity'>]

/** Each is assignable only if there is no such operation; otherwise the compiler names it. */
const wrongInputs: readonly never[] = [] as readonly WrongInput[]
const wrongOutputs: readonly never[] = [] as readonly WrongOutput[]

/** The operations that differ on purpose. */
const others = {
  OperationName: true satisfies Equal<
    OperationName,
    MethodName | keyof typeof connectionOperations
  >,
  createItem: true satisfies ParsedInputOf<'createItem'> extends CreateItemInput ? true : false,
  replaceItem: true satisfies ParsedInputOf<'replaceItem'> extends ReplaceItemInput ? true : false,
  listActivity: true satisfies SameShape<PublishedPage, z.output<Outputs['listActivity']>>,
}

// The compiler checks the types: each `true` compiles only if both types are the same.
describe('exported types', () => {
  it('equal those of their schemas, as do inputs and outputs of operations', () => {
    for (const each of [interfaces, others])
      expect(new Set(Object.values(each))).toEqual(new Set([true]))
    expect([...wrongInputs, ...wrongOutputs]).toEqual([])
  })
})
