/** Arbitrary request bodies: valid, nearly valid, and invalid at any path. */

import fc, { type Arbitrary } from 'fast-check'
import { fieldTypes } from '../../../src/schema/field.js'
import { itemId, vaultId } from '../items/item-builders.js'

/** Part of every string and every unknown name of these bodies, and of nothing else. */
export const marker = 'M4RK3R'

const text = fc.string({ unit: 'grapheme', maxLength: 8 }).map((end) => marker + end)

/** Any JSON, with the marker in all its strings and names. */
const jsonWithMarker: Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 3, stringUnit: 'grapheme' })
  .map(withMarker)

/** A value that is valid in most cases, and any JSON in a few. */
function nearly(right: Arbitrary<unknown>): Arbitrary<unknown> {
  return fc.oneof({ arbitrary: right, weight: 40 }, { arbitrary: jsonWithMarker, weight: 1 })
}

function list(right: Arbitrary<unknown>): Arbitrary<unknown> {
  return nearly(fc.array(nearly(right), { maxLength: 4 }))
}

function members(
  parts: Record<string, Arbitrary<unknown>>,
  required: readonly string[] = [],
): Arbitrary<Record<string, unknown>> {
  const invented = fc.dictionary(text, jsonWithMarker, { maxKeys: 1 })
  const known = fc.record(parts, { requiredKeys: [...required] })
  return fc.tuple(known, invented).map(([body, extra]) => ({ ...body, ...extra }))
}

function oneOf(...values: readonly string[]): Arbitrary<unknown> {
  return nearly(fc.constantFrom(...values))
}

const sectionId = nearly(fc.constantFrom(`${marker}1`, `${marker}2`, `${marker}3`))

const section = members({ id: sectionId, label: nearly(text) })

const recipe = members({
  characterSets: list(oneOf('LETTERS', 'DIGITS', 'SYMBOLS')),
  excludeCharacters: nearly(text),
  length: nearly(fc.integer({ min: 0, max: 65 })),
})

/** A field in the body of an item. */
const fieldBody: Arbitrary<Record<string, unknown>> = members(
  {
    id: nearly(fc.oneof(text, fc.constantFrom('__proto__', 'constructor', ''))),
    type: oneOf(...fieldTypes),
    label: nearly(text),
    value: nearly(text),
    purpose: oneOf('', 'USERNAME', 'PASSWORD', 'NOTES'),
    section: nearly(fc.oneof(fc.constant({}), section)),
    generate: nearly(fc.boolean()),
    recipe: nearly(recipe),
    entropy: nearly(fc.double()),
  },
  ['id'],
)

const url = members(
  {
    href: nearly(fc.oneof({ arbitrary: fc.webUrl(), weight: 9 }, { arbitrary: text, weight: 1 })),
    label: nearly(text),
    primary: nearly(fc.boolean()),
  },
  ['href'],
)

/** The body of an item without its vault. */
export const itemContent: Arbitrary<Record<string, unknown>> = members(
  {
    category: fc.constantFrom('LOGIN', 'PASSWORD', 'SECURE_NOTE', 'CUSTOM', 'DOCUMENT'),
    title: nearly(text),
    favorite: nearly(fc.boolean()),
    tags: list(text),
    urls: list(url),
    sections: list(section),
    fields: list(fieldBody),
    version: jsonWithMarker,
  },
  ['category'],
)

/** The body of an item. */
export const itemBody: Arbitrary<Record<string, unknown>> = fc
  .tuple(
    itemContent,
    members({
      category: oneOf('LOGIN'),
      vault: fc.record({ id: oneOf(vaultId) }),
      id: oneOf(itemId),
    }),
  )
  .map(([content, rest]) => ({ ...content, ...rest }))

/** The body of a patch. */
export const patchBody: Arbitrary<unknown> = list(
  members({
    op: oneOf('add', 'remove', 'replace'),
    path: nearly(text.map((end) => `/fields/${end}`)),
    value: jsonWithMarker,
  }),
)

function withMarker(value: unknown): unknown {
  if (typeof value === 'string') return marker + value
  if (Array.isArray(value)) return value.map(withMarker)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [marker + key, withMarker(member)]),
  )
}
