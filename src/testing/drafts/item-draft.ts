/** Item drafts of every category. */

import { assertArgument, assertOptions } from '../../assert-argument.js'
import type { FieldDraft, ItemCategory, NewItemDraft } from '../../index.js'
import type { CategoryFields } from './field-ids.js'
import { type FieldTemplate, type Template, templates } from './templates.js'

/** Differences of a draft from the one that {@link itemDraft} returns without them. */
export interface DraftChanges<Category extends ItemCategory = ItemCategory>
  extends Partial<Omit<NewItemDraft, 'category' | 'files'>> {
  /** Values of fields by their ids; those of the template if absent. */
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
 * `createItem` and for seeds. Every value that `changes` does not have is made up and the same in
 * every call. The ids of the fields are those of the published service.
 * @param changes Values of fields by id, and members that replace those of the draft, such as
 * `title`, `tags` or, without `values`, all `fields`.
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
  const isKnown = typeof category === 'string' && Object.hasOwn(templates, category)
  assertArgument(isKnown, 'category', `one of ${Object.keys(templates).join(', ')}`)
  assertOptions(changes, 'changes')
  const { values = {}, ...members } = changes
  assertOptions(values, 'changes.values')
  const isOneOf = changes.values === undefined || changes.fields === undefined
  assertArgument(
    isOneOf,
    'changes.values',
    'absent beside changes.fields, which replace all fields',
  )
  const template: Template = templates[category]
  const { title, sections = {}, url } = template
  const rows: readonly FieldTemplate[] = [
    ...template.fields,
    ['notesPlain', 'STRING', 'notesPlain', ''],
  ]
  const ids = rows.map(([id]) => id)
  const known = `an object with members of ${ids.join(', ')}`
  for (const [id, value] of Object.entries(values))
    assertArgument(ids.includes(id) && typeof value === 'string', 'changes.values', known)
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
