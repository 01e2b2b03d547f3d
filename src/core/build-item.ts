/** The one place where an item becomes whole and valid. */

import { type InputIssue, InvalidInputError } from '../errors.js'
import type { Field, FieldPurpose } from '../schema/field.js'
import type { Item, ItemUrl, ReadItem, Section } from '../schema/item.js'
import type { Context } from './context.js'
import { isDay, isMonth } from './date-value.js'
import { entropyOf, generateValue, valueSpace } from './generate-value.js'
import { checkCounts, checkStrings } from './limits.js'
import { newId } from './random.js'

type Building = Pick<Context, 'dialect' | 'limits' | 'randomBytes'>
type ReadField = NonNullable<ReadItem['fields']>[number]
type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] }

const labels: Readonly<Record<FieldPurpose, string | undefined>> = {
  '': undefined,
  USERNAME: 'username',
  PASSWORD: 'password',
  NOTES: 'notesPlain',
}

/**
 * What a body says of an item, read in the service's dialect and within its limits.
 * @throws InvalidInputError that names each place that is wrong.
 */
export function readDraft(
  context: Building,
  body: unknown,
  place: { vaultId: string; itemId?: string },
): ReadItem {
  checkCounts(body, context.limits)
  const draft = context.dialect.readItem(body, place)
  checkStrings(draft, context.limits)
  return draft
}

/**
 * The item that holds everything of `draft` that a client may set, and everything of `before` that the vault keeps.
 * Values are generated where that is asked for.
 * @throws InvalidInputError that names each place where a rule of items is broken.
 */
export function buildItem(context: Building, draft: ReadItem, before: Item): Item {
  const issues: InputIssue[] = []
  const sections = buildSections(context, draft, issues)
  const item: Item = {
    id: before.id,
    vault: before.vault,
    category: draft.category,
    ...(draft.title !== undefined && { title: draft.title }),
    favorite: draft.favorite ?? false,
    tags: draft.tags ?? [],
    urls: buildUrls(draft, issues),
    ...(before.state !== undefined && { state: before.state }),
    version: before.version,
    createdAt: before.createdAt,
    updatedAt: before.updatedAt,
    lastEditedBy: before.lastEditedBy,
    sections,
    fields: buildFields(context, draft, { ...before, sections }, issues),
    files: before.files,
  }
  if (issues.length > 0) throw new InvalidInputError(issues)
  return item
}

function buildSections(context: Building, draft: ReadItem, issues: InputIssue[]): Section[] {
  const ids = new Set<string>()
  return (draft.sections ?? []).map(({ id = newId(context.randomBytes), label }, index) => {
    if (ids.has(id))
      issues.push({
        path: `sections/${index}/id`,
        message: 'must not be the id of another section',
      })
    ids.add(id)
    return label === undefined ? { id } : { id, label }
  })
}

function buildUrls(draft: ReadItem, issues: InputIssue[]): ItemUrl[] {
  let primaries = 0
  return (draft.urls ?? []).map(({ href, label, primary }, index) => {
    const protocol = URL.canParse(href) ? new URL(href).protocol : undefined
    if (protocol === undefined)
      issues.push({ path: `urls/${index}/href`, message: 'must be a URL' })
    if (protocol === 'javascript:' || protocol === 'data:') {
      issues.push({ path: `urls/${index}/href`, message: 'must not be a javascript: or data: URL' })
    }
    if (primary && ++primaries > 1) {
      issues.push({ path: `urls/${index}/primary`, message: 'must be true for one URL only' })
    }
    const url: Mutable<ItemUrl> = { href }
    if (label !== undefined) url.label = label
    if (primary !== undefined) url.primary = primary
    return url
  })
}

function buildFields(
  context: Building,
  draft: ReadItem,
  { fields: stored, sections }: Item,
  issues: InputIssue[],
): Field[] {
  const ids = new Set<string>()
  const purposes = new Set<string>()
  const sectionIds = new Set(sections.map(({ id }) => id))
  return (draft.fields ?? []).map((field, index) => {
    const wrong = (name: string, message: string): number =>
      issues.push({ path: `fields/${index}/${name}`, message })
    if (ids.has(field.id)) wrong('id', 'must not be the id of another field')
    ids.add(field.id)
    if (field.purpose) {
      if (purposes.has(field.purpose)) wrong('purpose', 'must not be the purpose of another field')
      purposes.add(field.purpose)
    }
    if (field.section?.id !== undefined && !sectionIds.has(field.section.id)) {
      wrong('section/id', 'must be the id of a section of the item')
    }
    return buildField(context, field, stored, wrong)
  })
}

function buildField(
  context: Building,
  draft: ReadField,
  stored: readonly Field[],
  wrong: (name: string, message: string) => void,
): Field {
  const { id, type = 'STRING', purpose, section } = draft
  const label = draft.label ?? labels[purpose ?? '']
  const field: Mutable<Field> = { id, type }
  if (label !== undefined) field.label = label
  setValue(context, field, draft, stored, wrong)
  if (purpose !== undefined) field.purpose = purpose
  if (section !== undefined) field.section = section.id === undefined ? {} : { id: section.id }
  return field
}

function setValue(
  context: Building,
  field: Mutable<Field>,
  draft: ReadField,
  stored: readonly Field[],
  wrong: (name: string, message: string) => void,
): void {
  const { value, generate, recipe = {}, purpose } = draft
  if (generate && !value) {
    if (field.type === 'DATE' || field.type === 'MONTH_YEAR')
      return wrong('generate', 'must not be true for a date')
    const space = valueSpace(recipe)
    if (space === undefined)
      return wrong('recipe/excludeCharacters', 'must leave at least two characters')
    field.value = generateValue(space, context.randomBytes)
    if (purpose === 'PASSWORD') field.entropy = entropyOf(space)
    return
  }
  if (value === null) return wrong('value', 'must be a string')
  if (value === undefined) return
  if (field.type === 'DATE' && !isDay(value))
    wrong('value', 'must be a day as YYYY-MM-DD or whole seconds')
  if (field.type === 'MONTH_YEAR' && !isMonth(value))
    wrong('value', 'must be a month as YYYYMM or YYYY/MM')
  field.value = value
  if (purpose !== 'PASSWORD') return
  const entropy = stored.find((other) => other.id === field.id && other.value === value)?.entropy
  if (entropy !== undefined) field.entropy = entropy
}
