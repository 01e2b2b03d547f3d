/** Arbitrary filters. */

import fc from 'fast-check'
import { type Filter, formatFilter } from '../service/format-filter.js'
import { codePoint } from './strings.js'

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
 */
export function arbitraryFilter(
  values: fc.Arbitrary<string> = arbitraryFilterValue(),
): fc.Arbitrary<Filter> {
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
