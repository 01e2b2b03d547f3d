/** Converts a state of the patch model to an item, with its own small definition of validity. */

import { getId, isObject, type Json, type ModelState, newId } from './patch-model.js'

/** A placeholder for a generated value. */
export const generated = '<generated>'

const labels = new Map([
  ['USERNAME', 'username'],
  ['PASSWORD', 'password'],
  ['NOTES', 'notesPlain'],
])
const day = /^(?:2024-02-29|\d+)$/

/**
 * Returns the attributes of the final item that a client can set; undefined if the state is not a
 * valid item.
 */
export function toModelItem(state: ModelState): Json | undefined {
  const {
    category,
    title,
    favorite = false,
    tags = [],
    urls = [],
    sections = [],
    fields = [],
  } = state
  const isValid =
    isKept(state) &&
    isOne(category, ['LOGIN', 'SERVER', 'CUSTOM']) &&
    isText(title) &&
    typeof favorite === 'boolean' &&
    isList(tags, (tag) => typeof tag === 'string') &&
    isList(urls, (url) => isObject(url) && isUrl(url)) &&
    isList(
      sections,
      (section) => isObject(section) && isText(section['id']) && isText(section['label']),
    ) &&
    isList(fields, (field) => isObject(field) && isField(field))
  if (!isValid) return undefined
  const ids = (sections as Json[]).map(getId)
  const isWhole =
    areUnlike(ids) &&
    (urls as Json[]).filter(({ primary }) => primary).length <= 1 &&
    areUnlike((fields as Json[]).map(getId)) &&
    areUnlike((fields as Json[]).map(({ purpose }) => purpose || undefined)) &&
    (fields as Json[]).every(
      ({ section }) => getId(section) === undefined || ids.includes(getId(section)),
    )
  if (!isWhole) return undefined
  return present({
    category,
    title,
    favorite,
    tags,
    urls: (urls as Json[]).map((url) => only(url, ['href', 'label', 'primary'])),
    sections: (sections as Json[]).map((section) => ({
      id: newId,
      ...only(section, ['id', 'label']),
    })),
    fields: (fields as Json[]).map(fieldOf),
  })
}

/** The members that the vault sets can be sent, in the format of the vault. */
function isKept({ id, vault, state, version, createdAt, lastEditedBy, files }: Json): boolean {
  return (
    (id === undefined || isId(id)) &&
    (vault === undefined || isId(getId(vault))) &&
    isOne(state, [undefined, 'ARCHIVED', 'DELETED']) &&
    (version === undefined || Number.isInteger(version)) &&
    (createdAt === undefined || /^\d{4}-01-01T00:00:00Z$/.test(String(createdAt))) &&
    isText(lastEditedBy) &&
    (files === undefined || isList(files, (file) => isObject(file) && isText(file['id'])))
  )
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && /^[\da-z]{26}$/.test(value)
}

function fieldOf(field: Json): Json {
  const label = labels.get(String(field['purpose']))
  const value = isGenerated(field) ? generated : field['value']
  const section = isObject(field['section']) ? only(field['section'], ['id']) : undefined
  const known = only(field, ['id', 'type', 'label', 'purpose'])
  return present({ type: 'STRING', label, ...known, value, section })
}

function isField(field: Json): boolean {
  const { id, type, label, value, purpose, section, generate, recipe } = field
  return (
    typeof id === 'string' &&
    isOne(type, [undefined, 'STRING', 'CONCEALED', 'URL', 'MENU', 'DATE']) &&
    isText(label) &&
    isOne(purpose, [undefined, '', 'USERNAME', 'PASSWORD', 'NOTES']) &&
    isOne(generate, [undefined, true, false]) &&
    (section === undefined || (isObject(section) && isText(section['id']))) &&
    (recipe === undefined || isRecipe(recipe)) &&
    (isGenerated(field)
      ? type !== 'DATE' && sizeOf(recipe) >= 2
      : isText(value) && (type !== 'DATE' || value === undefined || day.test(String(value))))
  )
}

/**
 * A value is generated where it is absent, or also where it is null or empty if that is requested.
 */
function isGenerated({ generate, value }: Json): boolean {
  return generate === true && isOne(value, [undefined, null, ''])
}

function isRecipe(recipe: unknown): boolean {
  if (!isObject(recipe)) return false
  const { characterSets = [], excludeCharacters = '', length = 32 } = recipe
  const isSets = isList(characterSets, (set) => isOne(set, ['LETTERS', 'DIGITS', 'SYMBOLS']))
  const isLength = Number.isInteger(length) && Number(length) >= 1 && Number(length) <= 64
  return (
    isSets &&
    areUnlike(characterSets as unknown[]) &&
    typeof excludeCharacters === 'string' &&
    isLength
  )
}

/**
 * Counts the characters that a recipe allows, as far as digits alone matter: with letters there are
 * always enough.
 */
function sizeOf(recipe: unknown): number {
  const { characterSets = [], excludeCharacters = '' } = isObject(recipe) ? recipe : {}
  const isDigits = Array.isArray(characterSets) && characterSets.join() === 'DIGITS'
  return isDigits ? 10 - new Set(String(excludeCharacters).match(/\d/g)).size : 2
}

function isUrl({ href, label, primary }: Json): boolean {
  return (
    isText(label) &&
    isOne(primary, [undefined, true, false]) &&
    /^https:\/\/\w+$/.test(String(href))
  )
}

function isList(list: unknown, isElement: (element: unknown) => boolean): boolean {
  return Array.isArray(list) && list.every(isElement)
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}

function isOne(value: unknown, values: readonly unknown[]): boolean {
  return values.includes(value)
}

/** Returns whether no element occurs twice. Undefined and placeholders differ from everything. */
function areUnlike(values: readonly unknown[]): boolean {
  const known = values.filter((value) => value !== undefined && value !== newId)
  return new Set(known).size === known.length
}

function only(value: Json, names: readonly string[]): Json {
  return present(Object.fromEntries(names.map((name) => [name, value[name]])))
}

function present(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
}
