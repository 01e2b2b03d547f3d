/** Puts what published clients send into the contract's words: null, empty ids and case, before a schema reads it. */

import { isId } from '../../schema/ids.js'

/** What is meant by a value; undefined if it stands for an attribute that is absent. */
type Meaning = (value: unknown) => unknown

const same: Meaning = (value) => value
const unlessEmpty: Meaning = (value) => (value === '' ? undefined : value)
const unlessZero: Meaning = (value) => (value === 0 ? undefined : value)
/** A name of the contract in any case; what is no such name is left for the schema to refuse. */
const name: Meaning = (value) => (isWord(value) ? value.toUpperCase() : value)

/** An object's own attributes of these names; null stands for an absent one. */
function attributes(meanings: Readonly<Record<string, Meaning>>): Meaning {
  const entries = Object.entries(meanings)
  return (value) => {
    if (!isObject(value)) return value
    const meant: Record<string, unknown> = {}
    for (const [key, meaning] of entries) {
      const given = Object.hasOwn(value, key) ? value[key] : null
      const member = given === null ? undefined : meaning(given)
      if (member !== undefined) meant[key] = member
    }
    return meant
  }
}

function list(meaning: Meaning): Meaning {
  return (value) => (Array.isArray(value) ? value.map((element) => meaning(element)) : value)
}

const reference = attributes({ id: unlessEmpty })

const ifId: Meaning = (value) => (isId(value) ? value : undefined)

/** A vault without a well-formed id, for example with the vault's name in its place, is the operation's. */
const vault: Meaning = (value) => {
  const isMalformed = value === '' || (isObject(value) && !isId(value['id']))
  return isMalformed ? undefined : reference(value)
}

const field = attributes({
  id: unlessEmpty,
  type: (value) => unlessEmpty(name(value)),
  label: same,
  value: same,
  purpose: name,
  section: reference,
  generate: same,
  recipe: attributes({ characterSets: list(name), excludeCharacters: same, length: unlessZero }),
})

const item = attributes({
  category: name,
  vault,
  id: ifId,
  title: same,
  favorite: same,
  tags: same,
  urls: list(attributes({ href: same, label: same, primary: same })),
  sections: list(attributes({ id: unlessEmpty, label: same })),
  fields: list(field),
})

/**
 * An item's body in the contract's words: the attributes that a client may set, and the ids that are compared. A section
 * that only a field names is added, with an empty label. What has not the form of an item is left as it is. Looks no
 * deeper than an item is; the body is not changed.
 */
export const inContractWords: Meaning = (value) => withNamedSections(item(value))

/** A patch in the contract's words: the names of its operations, and the whole items and fields among their values. */
export const patchInContractWords: Meaning = list((operation) => {
  if (!isObject(operation)) return operation
  const { op, path, value } = operation
  return { op: isWord(op) ? op.toLowerCase() : op, path, value: meaningAt(path)(value) }
})

/** How a value is read at a path of a patch: references to fields are resolved before the whole item is read. */
function meaningAt(path: unknown): Meaning {
  if (path === '' || path === '/') return inContractWords
  const isFields = typeof path === 'string' && /^\/fields(?:\/[^/]*)?$/.test(path)
  return isFields ? (value) => list(field)(field(value)) : same
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
function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^\w+$/.test(value)
}
