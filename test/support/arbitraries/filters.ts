/** Arbitrary filters. */

import fc from 'fast-check'
import type { Filter } from '../../../src/core/filter/filter.js'
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

/** Any string without U+0000, often one that looks like a filter. */
export const arbitraryValue: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ unit: codePoint, maxLength: 20 }).map((text) => text.replaceAll('\0', '')),
)

/** Filters of up to 32 conditions with values from `values`, at most five levels deep. */
export function arbitraryFilter(values: fc.Arbitrary<string>): fc.Arbitrary<Filter> {
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
  return [1, 2, 3, 4, 5].reduce<fc.Arbitrary<Filter>>((inner) => level(inner), term)
}
