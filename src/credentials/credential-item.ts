/** A credential as an item: its id, the item that is stored, and the view of it. */

import { deriveItemId } from '../base/derive-id.js'
import type { FieldDraft } from '../schema/field.js'
import type { Item, ItemDraft } from '../schema/item.js'
import type { FieldDescription, HiddenValue, ItemDescription } from '../schema/item-description.js'
import {
  type CredentialField,
  type CredentialFieldId,
  type CredentialKind,
  type CredentialValues,
  isSecret,
} from './credential-kind.js'

/** The tag of every item that contains a credential. */
const credentialTag = 'credential'

/** The section with everything stored about a credential besides its values. */
const sectionId = 'credential'

/**
 * What the provider said about the values. `unverified` if it has not said anything, `unreadable`
 * if the stored item is damaged.
 */
export type CredentialStatus = 'ok' | 'rejected' | 'unverified' | 'unreadable'

/**
 * A credential without its secrets.
 * @typeParam Kind - The credential's kind. It determines the types of `fields`.
 */
export interface CredentialView<
  Kind extends CredentialKind = CredentialKind,
  Name extends string = string,
> {
  /** The name of its kind. */
  readonly name: Name
  /** Not set if the credential was saved without an account. */
  readonly account?: string
  /** The id of its item. */
  readonly itemId: string
  /** The version of its item. */
  readonly version: number
  /**
   * Every field of the kind. For a secret, the view only says whether it is set and, if it is long
   * enough, gives a hint: `…` and the last four characters. Any other field is its value, or an
   * empty string. It is also hidden if something else changed the stored field to a concealed type.
   * An unreadable credential looks like one without values.
   */
  readonly fields: {
    readonly [Id in CredentialFieldId<Kind>]: Kind['fields'][Id] extends CredentialField & {
      readonly secret?: true | undefined
    }
      ? HiddenValue
      : string | HiddenValue
  }
  /**
   * `unverified` if the kind has no `verify`, if `verify` failed or timed out, or if anything
   * except `save` and `verify` has changed the item since. `unreadable` if the stored item is
   * damaged. Then save the credential again with every secret, or remove it. If the encryption key
   * is missing, denied or unreachable, the call fails instead.
   */
  readonly status: CredentialStatus
  /** When the provider accepted or rejected the values, RFC 3339. Not set with any other status. */
  readonly checkedAt?: string
  /** When the values were changed, RFC 3339. Not set if `unreadable`. */
  readonly updatedAt?: string
  /** The id of the caller who changed the values. Not set if `unreadable`. */
  readonly updatedBy?: string
}

/** The kind, the name and the account of a credential, and the vault that it belongs to. */
export interface CredentialTarget<Name extends string = string> {
  readonly vaultId: string
  readonly name: Name
  readonly account: string | undefined
  readonly itemId: string
  readonly kind: CredentialKind
}

/** The result of a verification. */
export interface CredentialCheck {
  readonly status: Exclude<CredentialStatus, 'unreadable'>
  /** RFC 3339. */
  readonly checkedAt: string
}

/** Returns the id of a credential's item. It is the same in every process. */
export function findItemId(
  vaultId: string,
  name: string,
  account: string | undefined,
): Promise<string> {
  return deriveItemId('credential', vaultId, { name, account })
}

/** Everything stored about a credential besides its values. A missing member is empty. */
interface StoredCredential {
  readonly name: string
  readonly account: string
  readonly status: string
  readonly checkedAt: string
  /**
   * The version of the item in which this is stored. If the item has a different version, something
   * else changed it last.
   */
  readonly version: string
  /** The time and the author of the last change of the values, if a verification came after it. */
  readonly updatedAt: string
  readonly updatedBy: string
}

/** The ids of the fields that store it begin with this. No field of a kind has a dot in its id. */
const storedPrefix = 'credential.'

/** Returns the name and the account that are stored in an item, or empty strings. */
export function readNames({ fields }: ItemDescription): {
  readonly name: string
  readonly account: string
} {
  return { name: readStored(fields, 'name'), account: readStored(fields, 'account') }
}

function readStored(fields: readonly FieldDescription[], name: keyof StoredCredential): string {
  const value = fields.find(({ id }) => id === `${storedPrefix}${name}`)?.value
  return typeof value === 'string' ? value : ''
}

/** Returns the values that are stored in an item, without the empty ones. */
export function readValues(kind: CredentialKind, { fields }: Item): CredentialValues {
  const values = Object.keys(kind.fields).flatMap((id) => {
    const value = fields.find((field) => field.id === id)?.value ?? ''
    return value === '' ? [] : [[id, value]]
  })
  return Object.fromEntries(values)
}

/** Returns the view of a credential. */
export function toView<Name extends string>(
  target: CredentialTarget<Name>,
  item: ItemDescription,
): CredentialView<CredentialKind, Name> {
  const { name, account, itemId, kind } = target
  const { status, checkedAt, updatedAt, updatedBy } = readState(item)
  const fields = Object.entries(kind.fields).map(([id, field]) => {
    const { value = '' } = item.fields.find((stored) => stored.id === id) ?? {}
    return [id, isSecret(field) ? hide(value) : value]
  })
  return {
    name,
    ...(account !== undefined && { account }),
    itemId,
    version: item.version,
    fields: Object.fromEntries(fields),
    status,
    ...(status !== 'unverified' && { checkedAt }),
    updatedAt,
    updatedBy,
  }
}

/** Returns the view of a credential whose item is damaged at this version. */
export function toUnreadableView<Name extends string>(
  target: CredentialTarget<Name>,
  version: number,
): CredentialView<CredentialKind, Name> {
  const { name, account, itemId, kind } = target
  const fields = Object.entries(kind.fields).map(([id, field]) => [
    id,
    isSecret(field) ? { isSet: false } : '',
  ])
  return {
    name,
    ...(account !== undefined && { account }),
    itemId,
    version,
    fields: Object.fromEntries(fields),
    status: 'unreadable',
  }
}

/** Hides a secret whose field someone has changed by hand to a visible type. */
function hide(value: string | HiddenValue): HiddenValue {
  return typeof value === 'string' ? { isSet: value !== '' } : value
}

type CredentialState = Required<
  Pick<CredentialView, 'status' | 'checkedAt' | 'updatedAt' | 'updatedBy'>
>

/**
 * Returns the status and the author of the values. The status is `unverified` if something else
 * changed them.
 */
function readState(item: Omit<ItemDescription, 'urls'>): CredentialState {
  const { version, fields, updatedAt, lastEditedBy: updatedBy } = item
  const stored = readStored(fields, 'status')
  const isOwn = readStored(fields, 'version') === String(version)
  const status = isOwn && (stored === 'ok' || stored === 'rejected') ? stored : 'unverified'
  return {
    status,
    checkedAt: readStored(fields, 'checkedAt'),
    updatedAt: (isOwn && readStored(fields, 'updatedAt')) || updatedAt,
    updatedBy: (isOwn && readStored(fields, 'updatedBy')) || updatedBy,
  }
}

/** The values that are saved. */
export interface SavedValues {
  readonly values: CredentialValues
  /** The URLs of the item. If undefined, the item keeps its URLs. */
  readonly origins: readonly string[] | undefined
}

/**
 * Returns the item that is stored with the result of a verification.
 * @param before The item that is replaced. Undefined if it is unknown, unreadable or new.
 * @param saved The new values. If undefined, the stored values are kept.
 * @param version The version that is replaced. 0 if the item is new.
 */
export function toItemDraft(
  target: CredentialTarget,
  before: Item | undefined,
  check: CredentialCheck,
  saved: SavedValues | undefined,
  version: number,
): ItemDraft {
  const { vaultId, name, account, kind } = target
  const { fields = [], sections = [], tags = [] } = before ?? {}
  const isReplaced = (id: string): boolean =>
    id.startsWith(storedPrefix) || (saved !== undefined && Object.hasOwn(kind.fields, id))
  return {
    vault: { id: vaultId },
    category: before?.category ?? 'API_CREDENTIAL',
    title: before?.title ?? (account === undefined ? name : `${name} ${account}`),
    favorite: before?.favorite ?? false,
    tags: tags.includes(credentialTag) ? tags : [...tags, credentialTag],
    urls: saved?.origins?.map((href) => ({ href })) ?? before?.urls ?? [],
    sections: sections.some(({ id }) => id === sectionId)
      ? sections
      : [...sections, { id: sectionId, label: 'Credential' }],
    fields: [
      ...toValueFields(kind, saved?.values ?? {}),
      ...fields.filter(({ id }) => !isReplaced(id)),
      ...toStoredFields(target, before, check, saved, version),
    ],
  }
}

function toValueFields({ fields }: CredentialKind, values: CredentialValues): FieldDraft[] {
  return Object.entries(fields).flatMap(([id, field]) => {
    const { label = id } = field
    const type = isSecret(field) ? 'CONCEALED' : 'STRING'
    const value = Object.hasOwn(values, id) ? values[id] : undefined
    return value === undefined ? [] : [{ id, type, label, value }]
  })
}

function toStoredFields(
  { name, account = '' }: CredentialTarget,
  before: Item | undefined,
  { status, checkedAt }: CredentialCheck,
  saved: SavedValues | undefined,
  version: number,
): FieldDraft[] {
  const isVerified = before !== undefined && saved === undefined
  const { updatedAt, updatedBy } = isVerified ? readState(before) : noAuthor
  const credential: StoredCredential = {
    name,
    account,
    status,
    checkedAt: status === 'unverified' ? '' : checkedAt,
    version: String(version + 1),
    updatedAt,
    updatedBy,
  }
  return Object.entries(credential).flatMap(([label, value]) =>
    value === ''
      ? []
      : [{ id: `${storedPrefix}${label}`, label, value, section: { id: sectionId } }],
  )
}

const noAuthor = { updatedAt: '', updatedBy: '' }
