/** Item drafts of every category, for tests. */

import { argumentError, object, oneOf, readArgument } from '../../base/argument.js'
import type { FieldDraft, ItemCategory, NewItemDraft } from '../../index.js'
import type { CategoryFields } from './field-ids.js'
import { type FieldTemplate, type Template, templates } from './templates.js'

/** Changes to the draft that {@link itemDraft} returns by default. */
export interface DraftChanges<Category extends ItemCategory = ItemCategory>
  extends Partial<Omit<NewItemDraft, 'category' | 'files'>> {
  /** Field values by id. Default: the sample values. */
  readonly values?:
    | { readonly [Id in CategoryFields[Category] | 'notesPlain']?: string | undefined }
    | undefined
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
    if (!ids.includes(id) || !/^(?:string|undefined)$/.test(typeof value))
      throw argumentError(value, 'changes.values', known)
  const given: Readonly<Record<string, string | undefined>> = values
  const fields = rows.map((row) => toField(category, row, given[row[0]]))
  const website = url && [{ href: url, label: 'website', primary: true }]
  const urls = members.urls ?? website
  return {
    category,
    ...members,
    title: members.title ?? title,
    ...(urls && { urls }),
    sections: members.sections ?? Object.entries(sections).map(([id, label]) => ({ id, label })),
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
