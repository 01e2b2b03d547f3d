/** An item: a record of fields, sections, tags, URLs and files in a vault. */

import * as z from 'zod/mini'
import {
  type Field,
  type FieldDraft,
  fieldDraftSchema,
  fieldSchema,
  type ParsedField,
} from './field.js'
import { type FileDetails, type FileDraft, fileDetailsSchema, fileDraftSchema } from './file.js'
import { idSchema } from './ids.js'

/** What an item is about (contract, section 2.2). */
export type ItemCategory = (typeof itemCategories)[number]

/** Where an item stands in its life; an item in use has no state. */
export type ItemState = 'ARCHIVED' | 'DELETED'

/** A web address of an item (contract, section 2.3). */
export interface ItemUrl {
  /** An absolute URL in the contract dialect; `javascript:` and `data:` are refused in every dialect. */
  readonly href: string
  readonly label?: string
  /** True for at most one of an item's URLs. */
  readonly primary?: boolean
}

/** A group of fields and files. */
export interface Section {
  /** Unlike the other sections' ids. */
  readonly id: string
  readonly label?: string
}

/** The vault an item lies in. */
export interface VaultReference {
  readonly id: string
}

/** An item as a client sends it. What the vault keeps for itself may be sent back and is ignored. */
export interface ItemDraft {
  readonly category: ItemCategory
  /** The vault of the operation. */
  readonly vault: VaultReference
  /** Ignored when an item is created. When it is replaced, the id of that item. */
  readonly id?: string | undefined
  readonly title?: string | undefined
  /** False if absent. */
  readonly favorite?: boolean | undefined
  readonly tags?: readonly string[] | undefined
  readonly urls?:
    | readonly {
        readonly href: string
        readonly label?: string | undefined
        readonly primary?: boolean | undefined
      }[]
    | undefined
  /** A section without an id gets one. */
  readonly sections?:
    | readonly { readonly id?: string | undefined; readonly label?: string | undefined }[]
    | undefined
  readonly fields?: readonly FieldDraft[] | undefined
  /** Checked and ignored, as are the five members below: the vault sets them. */
  readonly state?: ItemState | undefined
  readonly version?: number | undefined
  /** RFC 3339. */
  readonly createdAt?: string | undefined
  /** RFC 3339. */
  readonly updatedAt?: string | undefined
  readonly lastEditedBy?: string | undefined
  readonly files?: readonly FileDraft[] | undefined
}

/** An item as it is stored and answered. Arrays that a client left out are empty. */
export interface Item {
  readonly id: string
  readonly vault: VaultReference
  readonly category: ItemCategory
  readonly title?: string
  readonly favorite: boolean
  readonly tags: readonly string[]
  readonly urls: readonly ItemUrl[]
  readonly sections: readonly Section[]
  readonly fields: readonly Field[]
  readonly files: readonly FileDetails[]
  readonly state?: ItemState
  /** 1 when created, and one more with every change. */
  readonly version: number
  /** RFC 3339 in UTC, with milliseconds and `Z`. */
  readonly createdAt: string
  /** RFC 3339 in UTC, with milliseconds and `Z`. */
  readonly updatedAt: string
  /** The id of the caller who made the last change. */
  readonly lastEditedBy: string
}

/** A version of an item, without what it held. */
export type ItemVersion = Pick<Item, 'version' | 'updatedAt' | 'lastEditedBy'>

/** An item as it is listed. */
export type ItemSummary = Omit<Item, 'sections' | 'fields' | 'files'>

const itemCategories = [
  'LOGIN',
  'PASSWORD',
  'API_CREDENTIAL',
  'SERVER',
  'DATABASE',
  'CREDIT_CARD',
  'MEMBERSHIP',
  'PASSPORT',
  'SOFTWARE_LICENSE',
  'OUTDOOR_LICENSE',
  'SECURE_NOTE',
  'WIRELESS_ROUTER',
  'BANK_ACCOUNT',
  'DRIVER_LICENSE',
  'IDENTITY',
  'REWARD_PROGRAM',
  'DOCUMENT',
  'EMAIL_ACCOUNT',
  'SOCIAL_SECURITY_NUMBER',
  'MEDICAL_RECORD',
  'SSH_KEY',
  'CUSTOM',
] as const

const itemCategorySchema = z.enum(itemCategories)

/** Reads an {@link ItemState}. */
export const itemStateSchema = z.enum(['ARCHIVED', 'DELETED'])

/** A scheme of two or more characters, and no blanks, backslashes, `<>"{}|^` or backticks. Works in any regex dialect. */
const hrefPattern = /^[A-Za-z][A-Za-z\d+.-]+:[^\s\\<>"{}|^`]*$/

/** Whether `href` is an absolute URL, or an IRI (RFC 3987), as a client would write it: a URL parser takes more. */
function isHref(href: string): boolean {
  return hrefPattern.test(href) && !/\p{Cc}/u.test(href) && URL.canParse(href)
}

const vaultReferenceSchema = z.object({ id: idSchema })

const dateTimeSchema = z.iso.datetime({ offset: true })

/** The attributes that the vault sets: checked in a body, then ignored. */
const keptAttributes = {
  state: z.optional(itemStateSchema),
  version: z.optional(z.int()),
  createdAt: z.optional(dateTimeSchema),
  updatedAt: z.optional(dateTimeSchema),
  lastEditedBy: z.optional(z.string()),
  files: z.optional(z.array(fileDraftSchema)),
}

/** Reads an {@link ItemDraft}. */
export const itemDraftSchema = z.object({
  category: itemCategorySchema,
  vault: vaultReferenceSchema,
  id: z.optional(idSchema),
  title: z.optional(z.string()),
  favorite: z.optional(z.boolean()),
  tags: z.optional(z.array(z.string())),
  urls: z.optional(
    z.array(
      z.object({
        href: z
          .string()
          .check(z.refine(isHref, 'must be a URL'))
          .register(z.globalRegistry, { pattern: hrefPattern.source }),
        label: z.optional(z.string()),
        primary: z.optional(z.boolean()),
      }),
    ),
  ),
  sections: z.optional(
    z.array(z.object({ id: z.optional(z.string()), label: z.optional(z.string()) })),
  ),
  fields: z.optional(z.array(fieldDraftSchema)),
  ...keptAttributes,
})

/** Reads a stored {@link Item}, in the order of attributes in which `buildItem` makes one. */
export const itemSchema = z.object({
  id: idSchema,
  vault: vaultReferenceSchema,
  category: itemCategorySchema,
  title: z.exactOptional(z.string()),
  favorite: z.boolean(),
  tags: z.array(z.string()),
  urls: z.array(
    z.object({
      href: z.string(),
      label: z.exactOptional(z.string()),
      primary: z.exactOptional(z.boolean()),
    }),
  ),
  state: z.exactOptional(itemStateSchema),
  version: z.int().check(z.gte(1)),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  lastEditedBy: z.string(),
  sections: z.array(z.object({ id: z.string(), label: z.exactOptional(z.string()) })),
  fields: z.array(fieldSchema),
  files: z.array(fileDetailsSchema),
})

/** An attribute that the vault sets. */
export type KeptAttribute = keyof typeof keptAttributes

/** An item as a dialect has read it: the ids have been compared, and what the vault sets has been dropped. */
export type ParsedItem = Omit<z.output<typeof itemDraftSchema>, 'id' | 'fields' | KeptAttribute> & {
  readonly fields?: readonly ParsedField[] | undefined
}

/** Whether what an operation answers is an item, and not a summary of one or anything else. */
export function isItem(answer: unknown): answer is Item {
  return typeof answer === 'object' && answer !== null && 'fields' in answer
}
