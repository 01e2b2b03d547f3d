/** A field of an item, its section, and the recipe for a generated value. */

import { isDay, isMonth } from '../base/calendar.js'
import * as z from './zod.js'

/** The kind of value that a field contains. */
export type FieldType = (typeof fieldTypes)[number]

/**
 * The type of a stored field: a {@link FieldType}, or another type that the dialect accepts: 1 to
 * 64 characters of `A-Z 0-9 _`, beginning with a letter.
 */
export type StoredFieldType = FieldType | (string & {})

/** What a client uses the field for when it fills in a login. Empty for no particular use. */
export type FieldPurpose = (typeof fieldPurposes)[number]

/** A set of characters for generated values: `A-Za-z`, `0-9` and `!@.-_*`. */
export type CharacterSet = 'LETTERS' | 'DIGITS' | 'SYMBOLS'

/**
 * The recipe for a generated value; see the
 * [rules](https://github.com/cofferkit/cofferkit/blob/main/docs/contract.md#generated-values).
 */
export interface Recipe {
  /** At most three, without duplicates. Default, and if empty: all three. */
  readonly characterSets?: readonly CharacterSet[] | undefined
  /** Characters that the value does not contain. */
  readonly excludeCharacters?: string | undefined
  /** 1 to 64. Default: 32. */
  readonly length?: number | undefined
}

/** A reference to the section of a field or a file. */
export interface SectionReference {
  readonly id?: string
}

/** A field as a client sends it. */
export interface FieldDraft {
  /** Any string that no other field of the item has as its id. Stored unchanged. */
  readonly id: string
  /** The contract dialect accepts only a {@link FieldType}. Default: `STRING`. */
  readonly type?: StoredFieldType | undefined
  /**
   * Default: `username`, `password` or `notesPlain` for a field of that purpose, otherwise none.
   */
  readonly label?: string | undefined
  /** Can be null only together with `generate`. */
  readonly value?: string | null | undefined
  /** An item can have at most one field of each purpose, but any number with the empty purpose. */
  readonly purpose?: FieldPurpose | undefined
  /** Its id must be the id of one of the item's sections. */
  readonly section?: { readonly id?: string | undefined } | undefined
  /** If true, a value is generated, unless `value` has one. Never stored. */
  readonly generate?: boolean | undefined
  /** The recipe for the generated value. Never stored. */
  readonly recipe?: Recipe | undefined
  /** It must be valid, but is ignored, because the service sets it. */
  readonly entropy?: number | undefined
}

/** A field as a dialect returns it. A field without an id gets one when the item is built. */
export type ParsedField = Omit<FieldDraft, 'id'> & { readonly id?: string | undefined }

/** A field as it is stored and returned. */
export interface Field {
  readonly id: string
  readonly type: StoredFieldType
  readonly label?: string
  readonly value?: string
  readonly purpose?: FieldPurpose
  readonly section?: SectionReference
  /**
   * Bits of a generated value of purpose `PASSWORD`: log2 of the number of strings that the recipe
   * can generate. Not set on any other field.
   */
  readonly entropy?: number
}

/** Every {@link FieldType}. */
export const fieldTypes = [
  'STRING',
  'EMAIL',
  'CONCEALED',
  'URL',
  'TOTP',
  'DATE',
  'MONTH_YEAR',
  'MENU',
] as const

/** Everything that depends on the type of a field. */
export interface FieldTypeRules {
  /** True if the values are not secret, so `describeItem` shows them. */
  readonly isShown: boolean
  /**
   * The rule for values. By default every string is valid, and values can be generated. If there is
   * a rule, values cannot be generated, because a recipe does not know it.
   */
  readonly values?: {
    isValid(value: string): boolean
    /** What a value must be, for the error. */
    readonly message: string
  }
}

const fieldTypeRules: Readonly<Record<FieldType, FieldTypeRules>> = {
  STRING: { isShown: true },
  EMAIL: { isShown: true },
  CONCEALED: { isShown: false },
  URL: { isShown: true },
  TOTP: { isShown: false },
  DATE: {
    isShown: true,
    values: { isValid: isDay, message: 'must be a day as YYYY-MM-DD or whole seconds' },
  },
  MONTH_YEAR: {
    isShown: true,
    values: { isValid: isMonth, message: 'must be a month as YYYYMM, YYYY/MM or YYYY-MM' },
  },
  MENU: { isShown: true },
}

const rulesByType: ReadonlyMap<string, FieldTypeRules> = new Map(Object.entries(fieldTypeRules))

/** Returns the rules of a type, or undefined if it is not a {@link FieldType}. */
export function findFieldTypeRules(type: StoredFieldType): FieldTypeRules | undefined {
  return rulesByType.get(type)
}

const quotedFieldTypes = fieldTypes.map((type) => JSON.stringify(type)).join(', ')

const fieldTypeSchema = z
  .string()
  .check(z.refine((type) => rulesByType.has(type), `must be one of ${quotedFieldTypes}`))

/** Parses a {@link StoredFieldType}. */
export const storedFieldTypeSchema = z.string().check(z.regex(/^[A-Z][A-Z0-9_]{0,63}$/))

/** Every {@link FieldPurpose}. */
const fieldPurposes = ['', 'USERNAME', 'PASSWORD', 'NOTES'] as const

const fieldPurposeSchema = z.enum(fieldPurposes)

const characterSetSchema = z.enum(['LETTERS', 'DIGITS', 'SYMBOLS'])

/** Parses a {@link Recipe}. */
export const recipeSchema = z.object({
  characterSets: z.optional(
    z.array(characterSetSchema).check(
      z.maxLength(3),
      z.refine((sets) => new Set(sets).size === sets.length, 'must not contain duplicates'),
    ),
  ),
  excludeCharacters: z.optional(z.string()),
  length: z.optional(z.int().check(z.gte(1), z.lte(64))),
})

/** Parses a {@link FieldDraft}. */
export const fieldDraftSchema = z.object({
  id: z.string(),
  type: z.optional(fieldTypeSchema),
  label: z.optional(z.string()),
  value: z.optional(z.nullable(z.string())),
  purpose: z.optional(fieldPurposeSchema),
  section: z.optional(z.object({ id: z.optional(z.string()) })),
  generate: z.optional(z.boolean()),
  recipe: z.optional(recipeSchema),
  entropy: z.optional(z.number()),
})

/** Parses a {@link SectionReference}. */
export const sectionReferenceSchema = z.object({ id: z.exactOptional(z.string()) })

/** Parses a stored {@link Field}. */
export const fieldSchema = z.object({
  id: z.string(),
  type: storedFieldTypeSchema,
  label: z.exactOptional(z.string()),
  value: z.exactOptional(z.string()),
  purpose: z.exactOptional(fieldPurposeSchema),
  section: z.exactOptional(sectionReferenceSchema),
  entropy: z.exactOptional(z.number()),
})
