/** Arbitrary filters. */

import * as fc from 'fast-check'
import { type Filter, formatFilter, quoteFilterValue } from '../../index.js'
import { codePoint } from './code-points.js'

/** Parts of values that look like filter syntax. */
export const pieces = [
  '"',
  '\\',
  ' ',
  '(',
  ')',
  'and',
  ' and ',
  ' or ',
  'title',
  ' eq ',
  'co',
  '" and title eq "',
  '")',
  'tag',
  'x',
  'ß😀',
  '\n',
] as const

/** The most characters of a filter. */
const maxCharacters = 4096

/** Returns any strings without U+0000 and lone surrogates, often ones that look like a filter. */
export function arbitraryFilterValue(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join('')),
    fc.string({ unit: codePoint, maxLength: 20 }).map((text) => text.replaceAll('\0', '')),
  )
}

/**
 * Returns filters of up to 32 conditions, at most five levels deep. `formatFilter` turns each into a
 * text that lists of items and vaults accept.
 * @param values The values that are compared with; {@link arbitraryFilterValue} if absent.
 * @throws TypeError if `values` is not an arbitrary.
 */
export function arbitraryFilter(
  values: fc.Arbitrary<string> = arbitraryFilterValue(),
): fc.Arbitrary<Filter> {
  if (!(values instanceof fc.Arbitrary)) throw new TypeError('values must be an arbitrary')
  const term = fc.record(
    {
      op: fc.constantFrom('eq', 'co'),
      attribute: fc.constantFrom('title', 'tag'),
      value: values,
    },
    { noNullPrototype: true },
  )
  const level = (inner: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> =>
    fc.oneof(
      term,
      fc.record(
        {
          op: fc.constantFrom('and', 'or'),
          terms: fc.array(inner, { minLength: 2, maxLength: 2 }),
        },
        { noNullPrototype: true },
      ),
    )
  return [1, 2, 3, 4, 5]
    .reduce<fc.Arbitrary<Filter>>((inner) => level(inner), term)
    .filter((filter) => formatFilter(filter).length <= maxCharacters)
}

/** Returns texts that no list of items or vaults accepts as its filter (400). */
export function arbitraryInvalidFilter(): fc.Arbitrary<string> {
  const condition = fc
    .tuple(
      fc.constantFrom('title', 'tag'),
      fc.constantFrom('eq', 'co'),
      fc.string({ maxLength: 9 }),
    )
    .map(([attribute, op, value]) => `${attribute} ${op} ${quoteFilterValue(value)}`)
  const word = fc.string({ unit: fc.constantFrom(...'bdfghjk'), minLength: 1, maxLength: 9 })
  return fc.oneof(
    condition.map((text) => `${text} and`),
    condition.map((text) => `(${text}`),
    condition.map((text) => `or ${text}`),
    fc.tuple(condition, word).map(([text, op]) => text.replace(/ (?:eq|co) /, ` ${op} `)),
    fc.tuple(condition, word).map(([text, name]) => text.replace(/^\w+/, name)),
    fc.tuple(word, word).map(([name, value]) => `${name} eq ${value}`),
    word,
    condition.map((text) => Array(65).fill(text).join(' and ')),
    condition.map((text) => `${'('.repeat(33)}${text}${')'.repeat(33)}`),
    fc.constant(`title eq "${'x'.repeat(maxCharacters)}"`),
  )
}
