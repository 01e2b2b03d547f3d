/** Item drafts for tests: of every category, and two small ones with short ids. */

import { argumentError, object, oneOf, readArgument, text } from '../../base/argument.js'
import type { FieldDraft, ItemCategory, ItemDraft, NewItemDraft } from '../../index.js'
import type { CategoryFields } from './field-ids.js'
import { type FieldTemplate, type Template, templates } from './templates.js'

/** Changes to the draft that {@link itemDraft} returns by default. */
export interface DraftChanges<Category extends ItemCategory = ItemCategory>
  extends Partial<Omit<NewItemDraft, 'category' | 'files'>> {
  /** Field values by id. Default: the sample values. */
  readonly values?: {
    readonly [Id in CategoryFields[Category] | 'notesPlain']?: string
  }
}

const purposes: Readonly<Record<string, 'USERNAME' | 'PASSWORD'>> = {
  username: 'USERNAME',
  password: 'PASSWORD',
}

/**
 * Returns a draft of an item with the fields that items of its category usually have, for
 * `createItem` and for seeds. Missing values are filled in with sample values, which are the same
 * in every call. The field ids are those that 1Password uses.
 * @param changes Field values by id, and members that replace those of the draft, such as `title`
 * and `tags`. Without `values`, it can replace all `fields`.
 * @returns The draft, without a vault unless `changes` has one.
 * @throws TypeError if the category or a field of `changes.values` is unknown, if `changes` is not
 * an object, or if it has both `values` and `fields`.
 * @example
 * const orders = itemDraft('DATABASE', { title: 'Orders', values: { password: 'hunter2' } })
 * const token = { id: 'token', label: 'token', type: 'CONCEALED', value: 'abc' } as const
 * const withToken = { ...orders, fields: [...orders.fields, token] }
 */
export function itemDraft<Category extends ItemCategory>(
  category: Category,
  changes: DraftChanges<Category> = {},
): Omit<NewItemDraft, 'files' | 'fields'> & { readonly fields: readonly FieldDraft[] } {
  readArgument(oneOf(...Object.keys(templates)), { category, changes })
  object()(changes, 'changes')
  const { values = {}, ...members } = changes
  object()(values, 'changes.values')
  if (changes.values !== undefined && changes.fields !== undefined) {
    const expected = 'left out with changes.fields, which replace all fields'
    throw argumentError(values, 'changes.values', expected)
  }
  const template: Template = templates[category]
  const { title, sections = {}, url } = template
  const rows: readonly FieldTemplate[] = [
    ...template.fields,
    ['notesPlain', 'STRING', 'notesPlain', ''],
  ]
  const ids = rows.map(([id]) => id)
  const known = `an object with members of ${ids.join(', ')}`
  for (const [id, value] of Object.entries(values))
    if (!ids.includes(id) || typeof value !== 'string')
      throw argumentError(value, 'changes.values', known)
  const given: Readonly<Record<string, string>> = values
  const fields = rows.map((row) => toField(category, row, given[row[0]]))
  return {
    category,
    title,
    ...(url !== undefined && { urls: [{ href: url, label: 'website', primary: true }] }),
    sections: Object.entries(sections).map(([id, label]) => ({ id, label })),
    ...members,
    fields: members.fields ?? fields,
  }
}

function toField(
  category: ItemCategory,
  [id, type, label, value, section]: FieldTemplate,
  given: string | undefined,
): FieldDraft {
  const hasPurpose = category === 'LOGIN' || category === 'PASSWORD'
  const purpose = id === 'notesPlain' ? 'NOTES' : hasPurpose && purposes[id]
  return {
    id,
    type,
    label,
    value: given ?? value,
    ...(purpose && { purpose }),
    ...(section !== undefined && { section: { id: section } }),
  }
}

/**
 * Returns a draft of a login: a user name, a password, a concealed field `pin` in a section, two
 * tags and a URL.
 * @param changes Members that replace those of the draft.
 * @throws TypeError if `vaultId` is not a string.
 */
export function loginDraft(vaultId: string, changes: Partial<ItemDraft> = {}): ItemDraft {
  readArgument(text(), { vaultId, changes })
  return {
    category: 'LOGIN',
    vault: { id: vaultId },
    title: 'Example',
    tags: ['work', 'mail'],
    urls: [{ href: 'https://example.com/login', label: 'website', primary: true }],
    sections: [{ id: 'more', label: 'More' }],
    fields: [
      { id: 'username', type: 'STRING', purpose: 'USERNAME', value: 'wendy' },
      { id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', value: 'correct horse' },
      { id: 'pin', type: 'CONCEALED', label: 'PIN', value: '1234', section: { id: 'more' } },
    ],
    ...changes,
  }
}

/**
 * Returns a draft of a secure note with one field.
 * @throws TypeError if `vaultId` is not a string.
 */
export function noteDraft(vaultId: string, changes: Partial<ItemDraft> = {}): ItemDraft {
  readArgument(text(), { vaultId, changes })
  return {
    category: 'SECURE_NOTE',
    vault: { id: vaultId },
    title: 'Note',
    fields: [{ id: 'notes', type: 'STRING', purpose: 'NOTES', value: 'remember the milk' }],
    ...changes,
  }
}
