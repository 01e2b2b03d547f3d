/** Makes the fields of an item whole and valid, and generates the values that are asked for. */

import type { Field, FieldPurpose, ParsedField } from '../../schema/field.js'
import type { Section } from '../../schema/item.js'
import { newId, type RandomBytes } from '../runtime/random.js'
import type { GenerateOnce } from './generate-once.js'
import { entropyOf, type PasswordSpec, passwordSpec } from './generate-value.js'

/** Something while it is being made. */
export type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] }
/** Notes what is wrong, so that all of it can be said at once. */
export type AddIssue = (path: string, message: string) => void

/** Randomness for fields: of their ids, and of their values. */
export interface FieldSource {
  readonly randomBytes: RandomBytes
  readonly generate: GenerateOnce
}

/** A field that has its id. */
type NamedField = ParsedField & { readonly id: string }

const labels: ReadonlyMap<FieldPurpose | undefined, string> = new Map([
  ['USERNAME', 'username'],
  ['PASSWORD', 'password'],
  ['NOTES', 'notesPlain'],
])

/**
 * The fields that the drafts describe, beside these sections and in the place of the fields that are stored. A draft
 * without an id gets a random one.
 */
export function buildFields(
  source: FieldSource,
  drafts: readonly ParsedField[],
  stored: readonly Field[],
  sections: readonly Section[],
  addIssue: AddIssue,
): Field[] {
  const ids = new Set<string>()
  const purposes = new Set<FieldPurpose | undefined>()
  const sectionIds = new Set(sections.map(({ id }) => id))
  return drafts.map((draft, index) => {
    const { id = newId(source.randomBytes), purpose, section } = draft
    if (ids.has(id)) addIssue(`fields/${index}/id`, 'must not be the id of another field')
    ids.add(id)
    if (purpose && purposes.has(purpose))
      addIssue(`fields/${index}/purpose`, 'must not be the purpose of another field')
    purposes.add(purpose)
    if (section?.id !== undefined && !sectionIds.has(section.id))
      addIssue(`fields/${index}/section/id`, 'must be the id of a section of the item')
    const generate = (space: PasswordSpec): string => source.generate(space, draft.id ?? index)
    return buildField(generate, { ...draft, id }, index, stored, addIssue)
  })
}

function buildField(
  generate: (space: PasswordSpec) => string,
  draft: NamedField,
  index: number,
  stored: readonly Field[],
  addIssue: AddIssue,
): Field {
  const { id, type = 'STRING', purpose, section } = draft
  const label = draft.label ?? labels.get(purpose)
  const { value, entropy } =
    draft.generate && !draft.value
      ? generateFieldValue(generate, draft, index, addIssue)
      : validateValue(draft, index, stored, addIssue)
  const field: Writable<Field> = { id, type }
  if (label !== undefined) field.label = label
  if (value !== undefined) field.value = value
  if (purpose !== undefined) field.purpose = purpose
  if (section !== undefined) field.section = section.id === undefined ? {} : { id: section.id }
  if (entropy !== undefined) field.entropy = entropy
  return field
}

/** A value and, of a generated password, out of how many it came. */
type Value = Partial<Pick<Field, 'value' | 'entropy'>>

const noValue: Value = {}

function generateFieldValue(
  generate: (space: PasswordSpec) => string,
  { type, purpose, recipe = {} }: ParsedField,
  index: number,
  addIssue: AddIssue,
): Value {
  const space = passwordSpec(recipe)
  if (type === 'DATE' || type === 'MONTH_YEAR') {
    addIssue(`fields/${index}/generate`, 'must not be true for a date')
  } else if (space === undefined) {
    addIssue(`fields/${index}/recipe/excludeCharacters`, 'must leave at least two characters')
  } else {
    const value = generate(space)
    return purpose === 'PASSWORD' ? { value, entropy: entropyOf(space) } : { value }
  }
  return noValue
}

/** What the client sent; a value that was generated keeps its entropy as long as it is the same. */
function validateValue(
  { id, type, value, purpose }: NamedField,
  index: number,
  stored: readonly Field[],
  addIssue: AddIssue,
): Value {
  if (value === undefined) return noValue
  if (value === null) addIssue(`fields/${index}/value`, 'must be a string')
  else if (type === 'DATE' && !isDay(value))
    addIssue(`fields/${index}/value`, 'must be a day as YYYY-MM-DD or whole seconds')
  else if (type === 'MONTH_YEAR' && !isMonth(value))
    addIssue(`fields/${index}/value`, 'must be a month as YYYYMM, YYYY/MM or YYYY-MM')
  else if (purpose !== 'PASSWORD') return { value }
  else return stored.find((field) => field.id === id && field.value === value) ?? { value }
  return noValue
}

/** Whether `value` is a day that exists as `YYYY-MM-DD`, or a whole number of seconds. */
export function isDay(value: string): boolean {
  if (/^-?\d{1,15}$/.test(value)) return true
  const midnight = `${value}T00:00:00.000Z`
  const day = new Date(midnight)
  return /^\d{4}-/.test(value) && !Number.isNaN(day.getTime()) && day.toISOString() === midnight
}

/** Whether `value` is a month as `YYYYMM`, `YYYY/MM` or `YYYY-MM`. */
export function isMonth(value: string): boolean {
  return /^\d{4}[/-]?(?:0[1-9]|1[0-2])$/.test(value)
}
