import { describe, expect, it } from 'vitest'
import type { FilterCondition } from '../../../src/core/filter/filter.js'
import { matchesFilter } from '../../../src/core/filter/filter.js'

const contains = (value: string): FilterCondition => ({ op: 'co', attribute: 'tag', value })
const letters = (count: number, first: number, length: number): string =>
  Array.from({ length }, (_, index) => String.fromCharCode(first + ((index * 7) % count))).join('')

/** Values that made `String.includes` compare many characters at each place of the text, in V8 or JavaScriptCore. */
const attacks: readonly (readonly [string, string, readonly string[]])[] = [
  ['4,000 characters, the one in the middle unlike', 'a', [middle('a', 'b', 4000)]],
  ['1,000 characters, the one in the middle unlike', 'a', [middle('a', 'b', 1000)]],
  ['1,000 periodic characters', 'ab', [`bb${'ab'.repeat(500)}`]],
  ['1,000 characters of a longer period', 'aab', [`bb${'aab'.repeat(333)}`]],
  ['a run that is longer than those of the text', `${'a'.repeat(498)}b`, [`ba${'a'.repeat(500)}`]],
  ['64 values of six characters', 'a', each((index) => `aaaaa${letter(index)}`)],
  ['64 values that differ in their first character', 'a', each((index) => `${letter(index)}aaa`)],
  ['64 values that differ in their second', 'a', each((index) => `a${letter(index)}aaa`)],
  ['63 values, each longer than the one before', 'a', each((index) => `${'a'.repeat(index)}b`)],
  [
    'two-byte characters',
    letters(64, 0x4e00, 640),
    each((index) => `${letters(64, 0x4e00 + index, 30)}!`),
  ],
  ['one-byte values in a two-byte text', 'aaaaaaaaā', each((index) => `aaaaa${letter(index)}`)],
]

describe('matchesFilter', () => {
  it.each(attacks)('reads 100,000 characters of tags in one pass: %s', (_, unit, values) => {
    const matches = matchesFilter({ op: 'or', terms: [contains('!'), ...values.map(contains)] })
    const tag = unit.repeat(Math.ceil(10_000 / unit.length)).slice(0, 10_000)
    const item = { title: 'a', tags: Array.from({ length: 10 }, () => flat(tag)) }
    expect(matches(item)).toBe(false)
    const simple = matchesFilter(contains('!'))
    const [cost, least] = [matches, simple].map((work) =>
      Math.min(...Array.from({ length: 3 }, () => millisecondsOf(() => work(item)))),
    ) as [number, number]
    // 2 to 10 times; with `String.includes` 200 to 10,000 times.
    expect(cost).toBeLessThan(50 * least)
  })
})

function middle(most: string, one: string, length: number): string {
  return most.repeat(length / 2) + one + most.repeat(length / 2 - 1)
}

function each(valueOf: (index: number) => string): string[] {
  return Array.from({ length: 63 }, (_, index) => valueOf(index))
}

function letter(index: number): string {
  return String.fromCharCode(0x62 + index)
}

/** The text as it is after parsing: not made of parts. */
function flat(text: string): string {
  return JSON.parse(JSON.stringify(text))
}

function millisecondsOf(work: () => unknown): number {
  const began = performance.now()
  work()
  return performance.now() - began
}
