/**
 * Fields in their usual form, checked by hand. All others are left to the schemas, which decide,
 * and which name what is wrong.
 *
 * The compiled code of a schema creates a function for each optional member of each field: 10 KB
 * for a draft of 20 fields. Without them, a create over HTTP takes 15 % less time and a replace 10 %.
 */

import type { Field, FieldDraft } from './field.js'
import { fieldPurposes, fieldTypes } from './field.js'

const types: ReadonlySet<unknown> = new Set(fieldTypes)
const purposes: ReadonlySet<unknown> = new Set([undefined, ...fieldPurposes])

/** The results of `typeof` for an optional text. */
const optionalText: ReadonlySet<string> = new Set(['string', 'undefined'])

/**
 * Returns copies of the fields of a draft, which `fieldDraftSchema` accepts; undefined if the schema
 * must decide about one of them, as it must about each field with a value to generate.
 */
export function copyUsualDrafts(drafts: unknown): readonly FieldDraft[] | undefined {
  if (!Array.isArray(drafts)) return undefined
  const copies: FieldDraft[] = []
  for (let index = 0; index < drafts.length; index++) {
    const draft: unknown = drafts[index]
    const { id, type, label, value, purpose, section, generate, recipe, entropy } = Object(draft)
    const sectionId = Object(section).id
    const isUsual =
      typeof draft === 'object' &&
      typeof id === 'string' &&
      types.has(type) &&
      optionalText.has(typeof label) &&
      optionalText.has(typeof value) &&
      purposes.has(purpose) &&
      (section === undefined || typeof section === 'object') &&
      section !== null &&
      optionalText.has(typeof sectionId) &&
      !(Array.isArray(draft) || Array.isArray(section)) &&
      generate === undefined &&
      recipe === undefined &&
      entropy === undefined
    if (!isUsual) return undefined
    copies.push({
      id,
      type,
      label,
      value,
      purpose,
      section: section && { id: sectionId },
    })
  }
  return copies
}

/**
 * Returns true if `fieldSchema` accepts each element of an array that was parsed from JSON; false if
 * the schema must decide about one of them.
 */
export function areUsualFields(fields: unknown): fields is readonly Field[] {
  if (!Array.isArray(fields)) return false
  for (let index = 0; index < fields.length; index++) {
    const field: unknown = fields[index]
    const { id, type, label, value, purpose, section, entropy } = Object(field)
    const isUsual =
      typeof id === 'string' &&
      types.has(type) &&
      optionalText.has(typeof label) &&
      optionalText.has(typeof value) &&
      purposes.has(purpose) &&
      (section === undefined || typeof section === 'object') &&
      section !== null &&
      optionalText.has(typeof Object(section).id) &&
      !(Array.isArray(field) || Array.isArray(section)) &&
      (entropy === undefined || Number.isFinite(entropy))
    if (!isUsual) return false
  }
  return true
}
