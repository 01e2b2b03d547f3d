/** A field of an item, the section it may stand in, and the recipe its value may be made from. */

import * as z from 'zod/mini'

/** What kind of value a field holds (contract, section 2.5). */
export type FieldType = (typeof fieldTypes)[number]

/**
 * The type of a field that is stored: one of the contract's, or another that a dialect has let in: 1 to 64 of
 * `A-Z 0-9 _`, a letter first.
 */
export type StoredFieldType = FieldType | (string & {})

/** What a field is for when a login is filled in; empty for nothing in particular. */
export type FieldPurpose = '' | 'USERNAME' | 'PASSWORD' | 'NOTES'

/** A set of characters that a value is generated from: `A-Za-z`, `0-9`, `!@.-_*`. */
export type CharacterSet = 'LETTERS' | 'DIGITS' | 'SYMBOLS'

/** How a value is generated (contract, section 2.5.1). */
export interface Recipe {
  /** At most three, none twice; absent or empty means all three. */
  readonly characterSets?: readonly CharacterSet[] | undefined
  /** Characters that do not appear in the value. */
  readonly excludeCharacters?: string | undefined
  /** 1 to 64; 32 if absent. */
  readonly length?: number | undefined
}

/** Which section something stands in. */
export interface SectionReference {
  readonly id?: string
}

/** A field as a client sends it. */
export interface FieldDraft {
  /** Any string that is unlike the other fields' ids. Kept as it is. */
  readonly id: string
  /** `STRING` if absent. The contract dialect takes a {@link FieldType} and no other. */
  readonly type?: StoredFieldType | undefined
  /** `username`, `password` or `notesPlain` if absent on a field of that purpose. */
  readonly label?: string | undefined
  /** Null only together with `generate`. */
  readonly value?: string | null | undefined
  /** At most one field of each purpose but the empty one. */
  readonly purpose?: FieldPurpose | undefined
  /** Its id must be that of one of the item's sections. */
  readonly section?: { readonly id?: string | undefined } | undefined
  /** Makes a value where there is none: absent, null or empty. Never stored. */
  readonly generate?: boolean | undefined
  /** How the value is made. Never stored. */
  readonly recipe?: Recipe | undefined
  /** Checked and ignored: the vault sets it. */
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
  /** Bits, for a generated value of purpose `PASSWORD`: log2 of the number of values that could have come out. */
  readonly entropy?: number
}

const fieldTypes = [
  'STRING',
  'EMAIL',
  'CONCEALED',
  'URL',
  'TOTP',
  'DATE',
  'MONTH_YEAR',
  'MENU',
] as const

const namesOfTypes: ReadonlySet<string> = new Set(fieldTypes)
const quotedTypes = fieldTypes.map((type) => JSON.stringify(type)).join(', ')

const fieldTypeSchema = z
  .string()
  .check(z.refine((type) => namesOfTypes.has(type), `must be one of ${quotedTypes}`))
  .register(z.globalRegistry, { enum: [...fieldTypes], default: 'STRING' })

/** Reads a {@link StoredFieldType}. */
export const storedFieldTypeSchema = z.string().check(z.regex(/^[A-Z][A-Z0-9_]{0,63}$/))

const fieldPurposeSchema = z.enum(['', 'USERNAME', 'PASSWORD', 'NOTES'])

const characterSetSchema = z.enum(['LETTERS', 'DIGITS', 'SYMBOLS'])

/** Reads a {@link Recipe}. */
export const recipeSchema = z.object({
  characterSets: z.optional(
    z
      .array(characterSetSchema)
      .check(
        z.maxLength(3),
        z.refine((sets) => new Set(sets).size === sets.length, 'must not name a set twice'),
      )
      .register(z.globalRegistry, { uniqueItems: true }),
  ),
  excludeCharacters: z.optional(z.string()),
  length: z.optional(
    z.int().check(z.gte(1), z.lte(64)).register(z.globalRegistry, { default: 32 }),
  ),
})

/** Reads a {@link FieldDraft}. */
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

/** Reads a {@link SectionReference}. */
export const sectionReferenceSchema = z.object({ id: z.exactOptional(z.string()) })

/** Reads a stored {@link Field}. */
export const fieldSchema = z.object({
  id: z.string(),
  type: storedFieldTypeSchema,
  label: z.exactOptional(z.string()),
  value: z.exactOptional(z.string()),
  purpose: z.exactOptional(fieldPurposeSchema),
  section: z.exactOptional(sectionReferenceSchema),
  entropy: z.exactOptional(z.number()),
})
