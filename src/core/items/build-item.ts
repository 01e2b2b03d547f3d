/**
 * Turns the body of a request into an item: parses it, then applies the rules of items (contract,
 * section 3).
 */

import { invalidInputError } from '../../base/fixed-errors.js'
import type { Dialect, DraftRef } from '../../dialects/dialect.js'
import type { InputIssue } from '../../errors.js'
import {
  type Field,
  type FieldPurpose,
  findFieldTypeRules,
  type ParsedField,
  type StoredFieldType,
} from '../../schema/field.js'
import type { FileDetails } from '../../schema/file.js'
import { type Item, itemSchema, type ParsedItem, type Section } from '../../schema/item.js'
import { unknownMembersOf } from '../records/stored-json.js'
import type { ItemContext } from '../runtime/item-context.js'
import { checkCounts, checkStrings } from '../runtime/limits.js'
import { type AddIssue, buildUrls, type Writable } from './build-urls.js'
import type { Draws } from './draws.js'
import { entropyOf, type PasswordSpec, passwordSpec } from './generate-value.js'

/** The attributes of an item that the vault manages, and its fields before a change. */
export type ManagedItemFields = Omit<
  Item,
  'category' | 'title' | 'favorite' | 'tags' | 'urls' | 'sections'
>

const purposeLabels: ReadonlyMap<FieldPurpose | undefined, string> = new Map([
  ['USERNAME', 'username'],
  ['PASSWORD', 'password'],
  ['NOTES', 'notesPlain'],
])

/**
 * Parses a body of an item in this vault, in the service's dialect. Elements are counted before and
 * after the body is parsed, because a dialect may add what a body leaves out. Strings are not
 * checked.
 * @throws InvalidInputError that names each invalid path.
 */
export function parseDraft(
  { dialect, limits }: Pick<ItemContext, 'dialect' | 'limits'>,
  body: unknown,
  ref: DraftRef,
): ParsedItem {
  checkCounts(body, limits)
  const draft = dialect.parseItem(body, ref)
  checkCounts(draft, limits)
  return draft
}

/**
 * Parses a body that was made from `item` and contains some of its fields. Those fields are kept
 * unchanged, even if the dialect would not accept them in a body (docs/contract.md, patches-19).
 * The dialect gets only their ids and sections, so every other field keeps its index, and the paths
 * of issues are right for the body. All other strings are checked.
 * @throws InvalidInputError
 */
export function parseDraftOver(
  context: Pick<ItemContext, 'dialect' | 'limits'>,
  body: { readonly fields?: unknown },
  item: Pick<Item, 'id' | 'vault' | 'sections' | 'fields'>,
): ParsedItem {
  const fields = Array.isArray(body.fields) ? body.fields : undefined
  const stored = new Set<unknown>(item.fields)
  const isKept = (field: unknown): field is Field => stored.has(field)
  const kept = new Map<unknown, Field>(fields?.filter(isKept).map((field) => [field.id, field]))
  const parsed = fields?.map((field) =>
    isKept(field) ? { id: field.id, section: field.section } : field,
  )
  const ref = { vaultId: item.vault.id, itemId: item.id, sections: item.sections }
  const draft = parseDraft(context, parsed ? { ...body, fields: parsed } : body, ref)
  checkStrings(draft, context.limits)
  return { ...draft, fields: draft.fields?.map((field) => kept.get(field.id) ?? field) }
}

/**
 * Builds an item from the parts of `draft` that a client can set, and the parts of `before` that
 * the vault manages, including members that only a later version of this library knows. Values are
 * generated on request. An update that may be retried passes the same `draws` each time.
 * @throws InvalidInputError that names each path where a rule of items is broken.
 */
export function buildItem(
  context: Pick<ItemContext, 'dialect' | 'strict'>,
  draft: ParsedItem,
  before: ManagedItemFields,
  draws: Draws,
): Item {
  const issues: InputIssue[] = []
  const addIssue: AddIssue = (path, message) => issues.push({ path, message })
  const { sections: sectionDrafts = [], urls: urlDrafts = [] } = draft
  const sections = sectionDrafts.length === 0 ? [] : buildSections(sectionDrafts, draws, addIssue)
  // Assigned one by one, because spreading optional members would take 3 % of a create.
  const item = { id: before.id, vault: before.vault, category: draft.category } as Writable<Item>
  if (draft.title !== undefined) item.title = draft.title
  item.favorite = draft.favorite ?? false
  item.tags = draft.tags ?? []
  item.urls = urlDrafts.length === 0 ? [] : buildUrls(urlDrafts, addIssue)
  if (before.state !== undefined) item.state = before.state
  item.version = before.version
  item.createdAt = before.createdAt
  item.updatedAt = before.updatedAt
  item.lastEditedBy = before.lastEditedBy
  item.sections = sections
  item.fields = buildFields(context, draft.fields ?? [], before.fields, sections, draws, addIssue)
  item.files =
    before.files.length === 0 ? before.files : withoutMissingSections(sections, before.files)
  if (issues.length > 0) throw invalidInputError(issues)
  const unknown = unknownMembersOf(itemSchema, before)
  return Object.keys(unknown).length === 0 ? item : { ...item, ...unknown }
}

/**
 * Returns the files without references to sections that do not exist, or the same array if there
 * are none.
 */
export function withoutMissingSections(
  sections: readonly Section[],
  files: readonly FileDetails[],
): readonly FileDetails[] {
  const ids = new Set(sections.map(({ id }) => id))
  const hasMissingSection = ({ section }: FileDetails): boolean =>
    section?.id !== undefined && !ids.has(section.id)
  if (!files.some(hasMissingSection)) return files
  return files.map((file) => {
    const { section: _, ...rest } = file
    return hasMissingSection(file) ? rest : file
  })
}

function buildSections(
  drafts: NonNullable<ParsedItem['sections']>,
  draws: Draws,
  addIssue: AddIssue,
): Section[] {
  const ids = new Set<string>()
  return drafts.map(({ id: given, label }, index) => {
    const id = given ?? draws.id(`sections/${index}`)
    if (ids.has(id)) addIssue(`sections/${index}/id`, 'must not be the id of another section')
    ids.add(id)
    return label === undefined ? { id } : { id, label }
  })
}

/**
 * Builds the fields in the order of the drafts. A draft without an id gets a random one. A draft
 * that is a stored field is kept unchanged.
 */
function buildFields(
  { dialect, strict }: Pick<ItemContext, 'dialect' | 'strict'>,
  drafts: readonly ParsedField[],
  stored: readonly Field[],
  sections: readonly Section[],
  draws: Draws,
  addIssue: AddIssue,
): Field[] {
  const ids = new Set<string>()
  const purposes = new Set<FieldPurpose | undefined>()
  const sectionIds = new Set<string>()
  for (const { id } of sections) sectionIds.add(id)
  const resolveType = createTypeResolver(dialect, stored)
  const storedFields = new Set<unknown>(stored)
  const isStored = (draft: unknown): draft is Field => storedFields.has(draft)
  const fields: Field[] = []
  let index = -1
  for (const draft of drafts) {
    index++
    const { id = draws.id(`fields/${index}`), purpose, section } = draft
    if (ids.has(id)) addIssue(`fields/${index}/id`, 'must not be the id of another field')
    ids.add(id)
    if (purpose) {
      if (purposes.has(purpose))
        addIssue(`fields/${index}/purpose`, 'must not be the purpose of another field')
      purposes.add(purpose)
    }
    if (section?.id !== undefined && !sectionIds.has(section.id))
      addIssue(`fields/${index}/section/id`, 'must be the id of a section of the item')
    if (isStored(draft)) {
      fields.push(draft)
      continue
    }
    const isGenerated = draft.generate === true && !draft.value
    if (strict && draft.generate && !isGenerated)
      addIssue(`fields/${index}/generate`, 'nothing would be generated: remove the value first')
    const spec = isGenerated ? passwordSpec(draft.recipe ?? {}) : undefined
    const value = isGenerated
      ? generateFieldValue(draft, spec, index, draws, addIssue)
      : validateValue(draft, index, addIssue)
    const label = draft.label ?? purposeLabels.get(purpose)
    const field: Writable<Field> = { id, type: resolveType(id, draft.type ?? 'STRING') }
    if (label !== undefined) field.label = label
    if (value !== undefined) field.value = value
    if (purpose !== undefined) field.purpose = purpose
    if (section !== undefined) field.section = section.id === undefined ? {} : { id: section.id }
    if (purpose === 'PASSWORD' && value !== undefined) {
      const entropy = spec === undefined ? findEntropy(field, stored) : entropyOf(spec)
      if (entropy !== undefined) field.entropy = entropy
    }
    fields.push(field)
  }
  return fields
}

/** Returns a function that maps a field's type in a body to the type that is stored. */
function createTypeResolver(
  dialect: Dialect,
  stored: readonly Field[],
): (id: string, type: StoredFieldType) => StoredFieldType {
  if (dialect.resolveFieldType === undefined || stored.length === 0) return (_, type) => type
  const resolve = dialect.resolveFieldType.bind(dialect)
  const types = new Map(stored.map(({ id, type }) => [id, type]))
  return (id, type) => resolve(type, types.get(id) ?? type)
}

/** Returns the value. If none can be generated, adds an issue and returns undefined. */
function generateFieldValue(
  { id, type = 'STRING' }: ParsedField,
  spec: PasswordSpec | undefined,
  index: number,
  draws: Draws,
  addIssue: AddIssue,
): string | undefined {
  if (findFieldTypeRules(type)?.values !== undefined)
    addIssue(`fields/${index}/generate`, `must not be true for the type ${type}`)
  else if (spec === undefined)
    addIssue(`fields/${index}/recipe/excludeCharacters`, 'must leave at least two characters')
  else return draws.value(id ?? index, spec)
  return undefined
}

/** Returns the value that the client sent, or undefined if there is none or an issue was added. */
function validateValue(
  { type = 'STRING', value }: ParsedField,
  index: number,
  addIssue: AddIssue,
): string | undefined {
  if (value === undefined) return undefined
  const rule = findFieldTypeRules(type)?.values
  if (value === null) addIssue(`fields/${index}/value`, 'must be a string')
  else if (rule !== undefined && !rule.isValid(value))
    addIssue(`fields/${index}/value`, rule.message)
  else return value
  return undefined
}

/** Returns the entropy of the stored password, or undefined if the field's value has changed. */
function findEntropy({ id, value }: Field, stored: readonly Field[]): number | undefined {
  return stored.find((field) => field.id === id && field.value === value)?.entropy
}
