/**
 * Converts bodies of published clients to the form of the contract, before a schema parses them.
 */

import { isObject } from '../../base/is-object.js'
import { safeGet } from '../../base/safe-get.js'
import { isId } from '../../schema/is-id.js'
import type { Section } from '../../schema/item.js'

/** Returns the normalized value, or undefined if the attribute counts as left out. */
type Normalizer = (value: unknown) => unknown

const identity: Normalizer = (value) => value
const emptyToUndefined: Normalizer = (value) => (value === '' ? undefined : value)
const zeroToUndefined: Normalizer = (value) => (value === 0 ? undefined : value)
/** Converts a name to upper case. Any other value is left to the schema, which rejects it. */
const toUpperCaseName: Normalizer = (value) => (isIdentifier(value) ? value.toUpperCase() : value)

/**
 * Returns a normalizer of objects. It keeps the own attributes that `normalizers` has and drops the
 * others. An attribute that is null counts as left out.
 */
function objectOf(normalizers: Readonly<Record<string, Normalizer>>): Normalizer {
  const entries = Object.entries(normalizers)
  return (value) => {
    if (!isObject(value)) return value
    const normalized: Record<string, unknown> = {}
    for (const [key, normalize] of entries) {
      const attribute = Object.hasOwn(value, key) ? value[key] : null
      const result = attribute === null ? undefined : normalize(attribute)
      if (result !== undefined) normalized[key] = result
    }
    return normalized
  }
}

/** Returns a normalizer of arrays. It normalizes each element. */
function arrayOf(normalize: Normalizer): Normalizer {
  return (value) => (Array.isArray(value) ? value.map((element) => normalize(element)) : value)
}

const reference = objectOf({ id: emptyToUndefined })

const invalidIdToUndefined: Normalizer = (value) => (isId(value) ? value : undefined)

/** A vault without a valid id, such as one with the vault's name as its id, counts as left out. */
const vault: Normalizer = (value) => {
  const isMalformed = value === '' || (isObject(value) && !isId(value['id']))
  return isMalformed ? undefined : reference(value)
}

const field = objectOf({
  id: emptyToUndefined,
  type: (value) => emptyToUndefined(toUpperCaseName(value)),
  label: identity,
  value: identity,
  purpose: toUpperCaseName,
  section: reference,
  generate: identity,
  recipe: objectOf({
    characterSets: arrayOf(toUpperCaseName),
    excludeCharacters: identity,
    length: zeroToUndefined,
  }),
})

const item = objectOf({
  category: toUpperCaseName,
  vault,
  id: invalidIdToUndefined,
  title: identity,
  favorite: identity,
  tags: identity,
  urls: arrayOf(objectOf({ href: identity, label: identity, primary: identity })),
  sections: arrayOf(objectOf({ id: emptyToUndefined, label: identity })),
  fields: arrayOf(field),
})

/**
 * Returns the body of an item in the form of the contract: the attributes that a client can set,
 * and the ids that are compared with the operation's. If only a field refers to a section, the
 * section is added: at its position if it is in `stored`, otherwise with an empty label. A value
 * that does not look like an item is returned unchanged. Descends no deeper than the attributes of
 * an item, and does not change the body.
 */
export function normalizeItem(value: unknown, stored: readonly Section[] = []): unknown {
  return withReferencedSections(item(value), stored)
}

/**
 * Returns a patch in the form of the contract: the names of its operations, and each value that is
 * an item or a field.
 */
export const normalizePatch: Normalizer = arrayOf((operation) => {
  if (!isObject(operation)) return operation
  const { op, path, value } = operation
  return { op: isIdentifier(op) ? op.toLowerCase() : op, path, value: normalizerAt(path)(value) }
})

/**
 * Returns the normalizer for the value at a path of a patch. Fields need their own normalizer,
 * because references to fields are resolved before the item is parsed.
 */
function normalizerAt(path: unknown): Normalizer {
  if (path === '' || path === '/') return (value) => normalizeItem(value)
  const isFields = typeof path === 'string' && /^\/fields(?:\/[^/]*)?$/.test(path)
  return isFields ? (value) => arrayOf(field)(field(value)) : identity
}

function withReferencedSections(value: unknown, stored: readonly Section[]): unknown {
  if (!isObject(value)) return value
  const { sections = [], fields } = value
  if (!Array.isArray(sections) || !Array.isArray(fields)) return value
  const listed = new Set(sections.map((section) => safeGet(section, 'id')))
  const referenced = fields.map((one) => safeGet(safeGet(one, 'section'), 'id'))
  const missing = new Set(referenced.filter((id) => typeof id === 'string' && !listed.has(id)))
  const completed: unknown[] = [...sections]
  for (const [index, section] of stored.entries())
    if (missing.delete(section.id)) completed.splice(index, 0, section)
  for (const id of missing) completed.push({ id, label: '' })
  return { ...value, sections: completed }
}

/** Accepts only ASCII, because some other letters become ASCII letters when their case changes. */
function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && /^\w+$/.test(value)
}
