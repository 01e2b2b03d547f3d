/** An item of a vault: fields, sections, tags, URLs and files. */

import { isHref } from '../base/href.js'
import {
  type Field,
  type FieldDraft,
  fieldDraftSchema,
  fieldSchema,
  type ParsedField,
} from './field.js'
import { type FileDetails, type FileDraft, fileDetailsSchema, fileDraftSchema } from './file.js'
import { idSchema } from './ids.js'
import * as z from './zod.js'

/** The category of an item. */
export type ItemCategory = (typeof itemCategories)[number]

/**
 * The state of an item. An active item has none. The rules for states are in [the contract
 * page](https://github.com/cofferkit/cofferkit/blob/main/docs/contract.md#state).
 */
export type ItemState = 'ARCHIVED' | 'DELETED'

/** A web address of an item. */
export interface ItemUrl {
  /**
   * An absolute URL in the contract dialect, any string in the connect dialect. Both reject
   * `javascript:` and `data:` URLs.
   */
  readonly href: string
  readonly label?: string
  /** True for at most one of an item's URLs. */
  readonly primary?: boolean
}

/** A group of fields and files. */
export interface Section {
  /** Any string that no other section of the item has as its id. */
  readonly id: string
  readonly label?: string
}

/** A reference to the vault of an item. */
export interface VaultReference {
  readonly id: string
}

/**
 * An item as a client sends it. It can contain the attributes that the service sets. They must be
 * valid, but are ignored.
 */
export interface ItemDraft {
  readonly category: ItemCategory
  /** Must be the vault of the operation. */
  readonly vault: VaultReference
  /** Ignored when an item is created. When an item is replaced, must be the id of that item. */
  readonly id?: string | undefined
  readonly title?: string | undefined
  /** Default: false. */
  readonly favorite?: boolean | undefined
  readonly tags?: readonly string[] | undefined
  readonly urls?:
    | readonly {
        readonly href: string
        readonly label?: string | undefined
        readonly primary?: boolean | undefined
      }[]
    | undefined
  /** A section without an id gets a new one. */
  readonly sections?:
    | readonly { readonly id?: string | undefined; readonly label?: string | undefined }[]
    | undefined
  readonly fields?: readonly FieldDraft[] | undefined
  /**
   * The service sets this and the five attributes below. They must be valid if present, but are
   * ignored.
   */
  readonly state?: ItemState | undefined
  readonly version?: number | undefined
  /** RFC 3339. */
  readonly createdAt?: string | undefined
  /** RFC 3339. */
  readonly updatedAt?: string | undefined
  readonly lastEditedBy?: string | undefined
  readonly files?: readonly FileDraft[] | undefined
}

/** An attribute that the service sets. */
export type ManagedAttribute =
  | 'state'
  | 'version'
  | 'createdAt'
  | 'updatedAt'
  | 'lastEditedBy'
  | 'files'

/**
 * An item as a dialect returns it: without its id, which has been checked, and without the
 * attributes that the vault sets.
 */
export type ParsedItem = Pick<
  ItemDraft,
  'category' | 'vault' | 'title' | 'favorite' | 'tags' | 'urls' | 'sections'
> & {
  readonly fields?: readonly ParsedField[] | undefined
}

/** An item as it is stored and returned. Arrays that a client left out are empty. */
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
  /** 1 when the item is created, plus 1 for each change. */
  readonly version: number
  /** RFC 3339 in UTC, with milliseconds and `Z`. */
  readonly createdAt: string
  /** RFC 3339 in UTC, with milliseconds and `Z`. */
  readonly updatedAt: string
  /** The id of the caller who made the last change. */
  readonly lastEditedBy: string
}

/** An item as a client sends it to `createItem` or `replaceItem`. */
export interface NewItemDraft extends Omit<ItemDraft, 'vault'> {
  /** It must be the vault of the operation. Default: that vault. */
  readonly vault?: VaultReference | undefined
}

/** A version of an item, without its content. */
export type ItemVersion = Pick<Item, 'version' | 'updatedAt' | 'lastEditedBy'>

/** An item in a list: without sections, fields and files. */
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

/** Parses an {@link ItemState}. */
export const itemStateSchema = z.enum(['ARCHIVED', 'DELETED'])

const vaultReferenceSchema = z.object({ id: idSchema })

const dateTimeSchema = z.iso.datetime({ offset: true })

/** The attributes that the service sets. In a body they must be valid, but are ignored. */
const managedAttributes = {
  state: z.optional(itemStateSchema),
  version: z.optional(z.int()),
  createdAt: z.optional(dateTimeSchema),
  updatedAt: z.optional(dateTimeSchema),
  lastEditedBy: z.optional(z.string()),
  files: z.optional(z.array(fileDraftSchema)),
} satisfies Record<ManagedAttribute, z.ZodMiniType>

/** Parses an {@link ItemDraft}. */
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
        href: z.string().check(z.refine(isHref, 'must be a URL')),
        label: z.optional(z.string()),
        primary: z.optional(z.boolean()),
      }),
    ),
  ),
  sections: z.optional(
    z.array(z.object({ id: z.optional(z.string()), label: z.optional(z.string()) })),
  ),
  fields: z.optional(z.array(fieldDraftSchema)),
  ...managedAttributes,
})

/** Parses a stored {@link Item}. Its attributes are in the same order as those of `buildItem`. */
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

/**
 * Returns true if the result of an operation is an item, but not if it is a summary or anything
 * else.
 */
export function isItem(result: unknown): result is Item {
  return typeof result === 'object' && result !== null && 'fields' in result
}
