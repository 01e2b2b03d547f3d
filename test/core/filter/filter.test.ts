import { describe, expect, it } from 'vitest'
import type { FilterCondition } from '../../../src/core/filter/filter.js'
import { createFilterMatcher, requiredTitles } from '../../../src/core/filter/filter.js'
import { parseFilter } from '../../../src/core/filter/parse-filter.js'
import { measureCpuTime } from '../../support/cpu-time.js'

const contains = (value: string): FilterCondition => ({ op: 'co', attribute: 'tag', value })
const letters = (count: number, first: number, length: number): string =>
  Array.from({ length }, (_, index) => String.fromCharCode(first + ((index * 7) % count))).join('')

/** Values for which `String.includes` is quadratic in V8 or JavaScriptCore. */
const attacks: readonly (readonly [string, string, readonly string[]])[] = [
  ['4,000 characters, a different one in the middle', 'a', [withMiddle('a', 'b', 4000)]],
  ['1,000 characters, a different one in the middle', 'a', [withMiddle('a', 'b', 1000)]],
  ['1,000 periodic characters', 'ab', [`bb${'ab'.repeat(500)}`]],
  ['1,000 characters of a longer period', 'aab', [`bb${'aab'.repeat(333)}`]],
  ['a run that is longer than those of the text', `${'a'.repeat(498)}b`, [`ba${'a'.repeat(500)}`]],
  ['64 values of six characters', 'a', make63Values((index) => `aaaaa${letter(index)}`)],
  [
    '64 values that differ in their first character',
    'a',
    make63Values((index) => `${letter(index)}aaa`),
  ],
  [
    '64 values that differ in their second character',
    'a',
    make63Values((index) => `a${letter(index)}aaa`),
  ],
  [
    '63 values, each longer than the one before',
    'a',
    make63Values((index) => `${'a'.repeat(index)}b`),
  ],
  [
    'two-byte characters',
    letters(64, 0x4e00, 640),
    make63Values((index) => `${letters(64, 0x4e00 + index, 30)}!`),
  ],
  [
    'one-byte values in a two-byte text',
    'aaaaaaaaā',
    make63Values((index) => `aaaaa${letter(index)}`),
  ],
]

describe('requiredTitles', () => {
  it.each([
    ['title eq "a"', ['a']],
    ['title co "a"', undefined],
    ['tag eq "a"', undefined],
    ['title eq "a" and tag eq "b"', ['a']],
    ['tag eq "b" and title eq "a"', ['a']],
    ['tag eq "a" and title co "b"', undefined],
    ['title eq "a" or name eq "b" or title eq "a"', ['a', 'b']],
    ['title eq "a" or tag eq "b"', undefined],
    ['(title eq "a" or title eq "b") and title eq "c"', ['c']],
    ['(title eq "a" and tag eq "b") or (title eq "c" and tag eq "d")', ['a', 'c']],
    ['(title eq "a" or tag eq "b") and (title eq "c" or title eq "d")', ['c', 'd']],
  ])('returns the required titles of %s', (text, titles) => {
    const filter = parseFilter(text, ['title', 'tag'])
    const required = filter && requiredTitles(filter)
    expect(required && [...required]).toEqual(titles)
  })
})

describe('createFilterMatcher', () => {
  it.each(attacks)('reads 100,000 characters of tags in linear time: %s', (_, unit, values) => {
    const matches = createFilterMatcher({
      op: 'or',
      terms: [contains('!'), ...values.map(contains)],
    })
    const tag = unit.repeat(Math.ceil(10_000 / unit.length)).slice(0, 10_000)
    const item = { title: 'a', tags: Array.from({ length: 10 }, () => flat(tag)) }
    expect(matches(item)).toBe(false)
    const baseline = createFilterMatcher(contains('!'))
    const [cost, baselineCost] = [matches, baseline].map((match) =>
      Math.min(...Array.from({ length: 3 }, () => millisecondsOf(() => match(item)))),
    ) as [number, number]
    // The ratio is 2 to 10; with `String.includes` it is 200 to 10,000.
    expect(cost).toBeLessThan(50 * baselineCost)
  })
})

function withMiddle(other: string, middle: string, length: number): string {
  return other.repeat(length / 2) + middle + other.repeat(length / 2 - 1)
}

function make63Values(valueOf: (index: number) => string): string[] {
  return Array.from({ length: 63 }, (_, index) => valueOf(index))
}

function letter(index: number): string {
  return String.fromCharCode(0x62 + index)
}

/** The text as one flat string, as after parsing, instead of a rope of parts. */
function flat(text: string): string {
  return JSON.parse(JSON.stringify(text))
}

function millisecondsOf(work: () => unknown): number {
  const cpuTime = measureCpuTime()
  work()
  return cpuTime()
}
