/** Puts what published clients send into the contract's words: null, empty ids and case, before a schema reads it. */

import { isId } from '../../schema/ids.js'

/** What is meant by a value; undefined if it stands for an attribute that is absent. */
type Normalizer = (value: unknown) => unknown

const identity: Normalizer = (value) => value
const emptyToUndefined: Normalizer = (value) => (value === '' ? undefined : value)
const unlessZero: Normalizer = (value) => (value === 0 ? undefined : value)
/** A name of the contract in any case; what is no such name is left for the schema to refuse. */
const name: Normalizer = (value) => (isIdentifier(value) ? value.toUpperCase() : value)

/** An object's own attributes of these names; null stands for an absent one. */
function attributes(meanings: Readonly<Record<string, Normalizer>>): Normalizer {
  const entries = Object.entries(meanings)
  return (value) => {
    if (!isObject(value)) return value
    const normalized: Record<string, unknown> = {}
    for (const [key, meaning] of entries) {
      const given = Object.hasOwn(value, key) ? value[key] : null
      const member = given === null ? undefined : meaning(given)
      if (member !== undefined) normalized[key] = member
    }
    return normalized
  }
}

function list(meaning: Normalizer): Normalizer {
  return (value) => (Array.isArray(value) ? value.map((element) => meaning(element)) : value)
}

const reference = attributes({ id: emptyToUndefined })

const ifId: Normalizer = (value) => (isId(value) ? value : undefined)

/** A vault without a well-formed id, for example with the vault's name in its place, is the operation's. */
const vault: Normalizer = (value) => {
  const isMalformed = value === '' || (isObject(value) && !isId(value['id']))
  return isMalformed ? undefined : reference(value)
}

const field = attributes({
  id: emptyToUndefined,
  type: (value) => emptyToUndefined(name(value)),
  label: identity,
  value: identity,
  purpose: name,
  section: reference,
  generate: identity,
  recipe: attributes({
    characterSets: list(name),
    excludeCharacters: identity,
    length: unlessZero,
  }),
})

const item = attributes({
  category: name,
  vault,
  id: ifId,
  title: identity,
  favorite: identity,
  tags: identity,
  urls: list(attributes({ href: identity, label: identity, primary: identity })),
  sections: list(attributes({ id: emptyToUndefined, label: identity })),
  fields: list(field),
})

/**
 * An item's body in the contract's words: the attributes that a client may set, and the ids that are compared. A section
 * that only a field names is added, with an empty label. What has not the form of an item is left as it is. Looks no
 * deeper than an item is; the body is not changed.
 */
export const normalizeItem: Normalizer = (value) => withNamedSections(item(value))

/** A patch in the contract's words: the names of its operations, and the whole items and fields among their values. */
export const normalizePatch: Normalizer = list((operation) => {
  if (!isObject(operation)) return operation
  const { op, path, value } = operation
  return { op: isIdentifier(op) ? op.toLowerCase() : op, path, value: meaningAt(path)(value) }
})

/** How a value is read at a path of a patch: references to fields are resolved before the whole item is read. */
function meaningAt(path: unknown): Normalizer {
  if (path === '' || path === '/') return normalizeItem
  const isFields = typeof path === 'string' && /^\/fields(?:\/[^/]*)?$/.test(path)
  return isFields ? (value) => list(field)(field(value)) : identity
}

function withNamedSections(value: unknown): unknown {
  if (!isObject(value)) return value
  const { sections = [], fields } = value
  if (!Array.isArray(sections) || !Array.isArray(fields)) return value
  const known = new Set(sections.map((section) => memberOf(section, 'id')))
  const named = new Set(fields.map((one) => memberOf(memberOf(one, 'section'), 'id')))
  const missing = [...named].filter((id) => typeof id === 'string' && !known.has(id))
  return { ...value, sections: [...sections, ...missing.map((id) => ({ id, label: '' }))] }
}

function memberOf(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** ASCII only: some other letters become ASCII ones when their case changes. */
function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && /^\w+$/.test(value)
}
