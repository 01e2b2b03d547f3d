/** An item: a record of fields, sections, tags, URLs and files in a vault. */

import * as z from 'zod/mini'
import {
  type Field,
  type FieldDraft,
  fieldDraftSchema,
  fieldSchema,
  type ReadField,
} from './field.js'
import { type FileDetails, fileDetailsSchema } from './file.js'
import { idSchema } from './id.js'

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
  /** Ignored on create; on replace the item of the operation, if it is there. */
  readonly id?: unknown
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

const vaultReferenceSchema = z.object({ id: idSchema })

/** Reads an {@link ItemDraft}; what the vault keeps for itself is left out, except the ids that are compared. */
export const itemDraftSchema = z.object({
  category: itemCategorySchema,
  vault: vaultReferenceSchema,
  id: z.optional(z.unknown()),
  title: z.optional(z.string()),
  favorite: z.optional(z.boolean()),
  tags: z.optional(z.array(z.string())),
  urls: z.optional(
    z.array(
      z.object({
        href: z.string().check(z.refine((href) => URL.canParse(href), 'must be a URL')),
        label: z.optional(z.string()),
        primary: z.optional(z.boolean()),
      }),
    ),
  ),
  sections: z.optional(
    z.array(z.object({ id: z.optional(z.string()), label: z.optional(z.string()) })),
  ),
  fields: z.optional(z.array(fieldDraftSchema)),
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

/** Reads which version of an item is meant. */
export const versionInputSchema = z.object({ version: z.int().check(z.gte(1)) })

/** An item as a dialect has read it; the ids have been compared. */
export type ReadItem = Omit<z.output<typeof itemDraftSchema>, 'id' | 'fields'> & {
  readonly fields?: readonly ReadField[] | undefined
}

/** Whether what an operation answers is an item, and not a summary of one or anything else. */
export function isItem(answer: unknown): answer is Item {
  return typeof answer === 'object' && answer !== null && 'fields' in answer
}
