import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { vaultSyntax } from '../../../src/core/filter/contract-filters.js'
import {
  type Filter,
  type FilterCondition,
  formatFilter,
  InvalidInputError,
} from '../../../src/index.js'
import { arbitraryFilter, arbitraryFilterValue, pieces } from '../../support/arbitraries/filters.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { codePoint } from '../../support/arbitraries/strings.js'
import { measureCpuTime } from '../../support/cpu-time.js'
import { runAll } from '../../support/run-all.js'
import { parseFilter as parse, parseWith } from '../../support/service/contract-filter.js'
import { invalid } from '../../support/service/rejections.js'

const title = (value: string): FilterCondition => ({ op: 'eq', attribute: 'title', value })
const tag = (value: string): FilterCondition => ({ op: 'eq', attribute: 'tag', value })
const and = (...terms: Filter[]): Filter => ({ op: 'and', terms })
const or = (...terms: Filter[]): Filter => ({ op: 'or', terms })

describe('parseExpression', () => {
  describe('a valid filter', () => {
    it.each<[string, Filter]>([
      ['title eq "Example"', title('Example')],
      ['name eq "Example"', title('Example')],
      ['title co "ampl"', { ...title('ampl'), op: 'co' }],
      ['tag eq "work"', tag('work')],
      ['tag co "wor"', { ...tag('wor'), op: 'co' }],
      ['TITLE Eq "Example"', title('Example')],
      ['title eq ""', title('')],
      ['title eq "  a  "', title('  a  ')],
      ['  title \n eq\t"a"  ', title('a')],
      ['title eq"a"', title('a')],
      ['tag eq "a" and tag eq "b"', and(tag('a'), tag('b'))],
      ['tag eq "a" OR tag eq "b"', or(tag('a'), tag('b'))],
      ['tag eq "a"and(tag eq "b")or(tag eq "c")', or(and(tag('a'), tag('b')), tag('c'))],
      [
        'tag eq "a" or tag eq "b" and tag eq "c" or tag eq "d"',
        or(tag('a'), and(tag('b'), tag('c')), tag('d')),
      ],
      ['title eq "a "b" c" and tag eq "d "e""', and(title('a "b" c'), tag('d "e"'))],
      ['(title eq "a"b") or (tag eq "c")', or(title('a"b'), tag('c'))],
      ['( ( title eq "a" ) )', title('a')],
      ['(title eq "a") and (tag eq "b" or tag eq "c")', and(title('a'), or(tag('b'), tag('c')))],
      ['tag eq "a" and (tag eq "b" and tag eq "c")', and(tag('a'), and(tag('b'), tag('c')))],
      ['title eq "a" and ((tag eq "b"))', and(title('a'), tag('b'))],
      ['tag eq "and" and tag eq "or"', and(tag('and'), tag('or'))],
    ])('parses %s', (text, filter) => {
      expect(parse(text)).toStrictEqual(filter)
    })

    it.each(['', ' ', '\t\n\u00a0'])('returns undefined for %j', (text) => {
      expect(parse(text)).toBeUndefined()
    })
  })

  describe('a value between quotes', () => {
    it.each([
      ['title eq "my "quoted" title"', 'my "quoted" title'],
      ['title eq """', '"'],
      ['title eq """"', '""'],
      ['title eq ""quoted""', '"quoted"'],
      ['title eq "7" or 8" screen"', '7" or 8" screen'],
      ['title eq "this "and" that"', 'this "and" that'],
      ['title eq "a "b" and c eq d"', 'a "b" and c eq d'],
      ['title eq "a")"', 'a")'],
      ['title eq "a (the "b")"', 'a (the "b")'],
      ['(title eq "a (the "b")")', 'a (the "b")'],
      ['title eq "a" and title "', 'a" and title '],
      ['title eq "a" andtitle eq "b"', 'a" andtitle eq "b'],
      ['title eq "it\'s"', "it's"],
      ['title eq "\\\\server\\share"', '\\\\server\\share'],
      ['title eq "C:\\"', 'C:\\'],
      ['title eq "C:\\" ', 'C:\\'],
      ['(title eq "C:\\")', 'C:\\'],
      ['title eq "a\\\\\\"', 'a\\\\\\'],
      ['title eq "say "C:\\"', 'say "C:\\'],
      ['title eq "\\n"', '\\n'],
      ['title eq "a\\" and title eq \\"b"', 'a" and title eq "b'],
      ['title eq "a\\\\"', 'a\\'],
      ['title eq "a\\\\\\" or tag eq "', 'a\\" or tag eq '],
      ['title eq "a\\\\"b"', 'a\\"b'],
      ['title eq "\\""', '"'],
    ])('parses %s as a title with its quotes and backslashes', (text, value) => {
      expect(parse(text)).toStrictEqual(title(value))
    })
  })

  describe('an invalid filter', () => {
    it.each([
      ['title', 'must compare with eq or co'],
      ['title eq', 'must have values in double quotes'],
      ['title eq a', 'must have values in double quotes'],
      ['title eq true', 'must have values in double quotes'],
      ["title eq 'a'", 'must have values in double quotes'],
      ['title eq "', 'must close the quotes of every value'],
      ['title eq "a', 'must close the quotes of every value'],
      ['title eq "a" b', 'must close the quotes of every value'],
      ['title eq "a\\" b', 'must close the quotes of every value'],
      ['title eq "a" and', 'must close the quotes of every value'],
      ['title eq "a" and tag pr', 'must close the quotes of every value'],
      ['title ne "a"', 'must compare with eq or co'],
      ['title eq "a" and title sw "b"', 'must compare with eq or co'],
      ['id eq "a"', 'must compare title, name or tag'],
      ['"a" eq title', 'must compare title, name or tag'],
      ['tags eq "a"', 'must compare title, name or tag'],
      ['constructor eq "a"', 'must compare title, name or tag'],
      ['title eq "a" and category eq "LOGIN"', 'must compare title, name or tag'],
      ['title eq "a" or urls.href co "b"', 'must compare title, name or tag'],
      ['and title eq "a"', 'must compare title, name or tag'],
      ['not (title eq "a")', 'must compare title, name or tag'],
      ['()', 'must compare title, name or tag'],
      ['(title eq "a"', 'has an invalid format'],
      ['title eq "a")', 'has an invalid format'],
      [') title eq "a"', 'must compare title, name or tag'],
      ['(title eq "a") tag eq "b"', 'has an invalid format'],
      ['(title eq "a") and', 'must close the quotes of every value'],
      ['title eq "a\0"', 'has an invalid format'],
      ['title eq "a\ud800"', 'has an invalid format'],
    ])('rejects %j', (text, message) => {
      expect(() => parse(text)).toThrow(expect.objectContaining(invalid(`filter ${message}`)))
    })

    it('rejects a tag comparison when only titles are allowed', () => {
      expect(() => parseWith(vaultSyntax, 'title eq "a" or tag eq "b"')).toThrow(
        expect.objectContaining(invalid('filter must compare title or name')),
      )
    })

    it('rejects more than 64 comparisons', () => {
      const text = (count: number): string => Array(count).fill('tag eq "a"').join(' and ')
      expect(parse(text(64))).toStrictEqual(and(...Array<Filter>(64).fill(tag('a'))))
      expect(() => parse(text(65))).toThrow(
        expect.objectContaining(invalid('filter must have at most 64 comparisons')),
      )
    })

    it('rejects parentheses more than 32 deep', () => {
      const text = (depth: number): string => `${'('.repeat(depth)}tag eq "a"${')'.repeat(depth)}`
      expect(parse(text(32))).toStrictEqual(tag('a'))
      expect(() => parse(text(33))).toThrow(
        expect.objectContaining(invalid('filter must have at most 32 nested parentheses')),
      )
    })
  })

  describe('a hostile filter', () => {
    const length = 200_000
    const repeated = (text: string): string => text.repeat(length / text.length)
    it.runIf(runAll).each([
      ['quotes', `title eq "${repeated('"')}x`],
      ['quotes and parentheses', `title eq "${repeated('")')}x`],
      ['a quote and blanks', `title eq "a"${repeated(' ')}x`],
      ['a quote and blanks and parentheses', `title eq "a"${repeated(' )')}x`],
      ['a quote, `and` and blanks', `title eq "a" and ${repeated(' ')}x`],
      ['a quote, `and` and parentheses', `title eq "a" and ${repeated('( ')}x`],
      ['a quote, `and` and a long word', `title eq "a" and ${repeated('a')}`],
      ['a quote, `and`, a word and blanks', `title eq "a" and title${repeated(' ')}x`],
      ['a quote, a comparison and blanks', `title eq "a" and title eq ${repeated(' ')}x`],
      ['quotes and beginnings of comparisons', `title eq "${repeated('" and title eq ')}x`],
      ['backslashes', `title eq "${repeated('\\')}x`],
      ['backslashes before quotes', `title eq "${repeated('\\"')}x`],
      ['backslashes before a quote', `title eq "${repeated('\\')}"x`],
      ['parentheses', repeated('(')],
      ['a comparison and parentheses', `(title eq "a"${repeated(')')}`],
      ['words', repeated('title eq ')],
      ['blanks', `${repeated(' ')}x`],
    ])('rejects 200,000 characters in linear time: %s', (_, text) => {
      const cpuTime = measureCpuTime()
      expect(() => parse(text)).toThrow(expect.objectContaining(invalid()))
      expect(cpuTime()).toBeLessThan(1000)
    })
  })

  it('returns the filter that formatFilter formatted, whatever its values are', () => {
    fc.assert(
      fc.property(arbitraryFilter(), (filter) => {
        expect(parse(formatFilter(filter))).toStrictEqual(filter)
      }),
      { numRuns: propertyRuns() },
    )
  })

  it('returns the title that a client put between quotes, unchanged', () => {
    /** Values that are ambiguous without escapes, and values with significant backslashes. */
    const ambiguous = /"[\s)]*(?:and|or)[\s(]+\w+\s+(?:eq|co)\s*"|\\"(?!$)|(?<!\\)(?:\\\\)+"$/i
    fc.assert(
      fc.property(arbitraryFilterValue(), (value) => {
        fc.pre(!ambiguous.test(`${value}"`))
        const filter = { op: 'eq', attribute: 'title', value }
        expect(parse(`title eq "${value}"`)).toStrictEqual(filter)
        expect(parse(`(title eq "${value}")`)).toStrictEqual(filter)
      }),
      { numRuns: propertyRuns() },
    )
  })

  it('returns a filter or throws a fixed message for any text', () => {
    const messages = new Set([
      'filter has an invalid format',
      'filter must have at most 32 nested parentheses',
      'filter must compare title, name or tag',
      'filter must compare with eq or co',
      'filter must have at most 64 comparisons',
      'filter must have values in double quotes',
      'filter must close the quotes of every value',
    ])
    const garbage = fc.oneof(
      fc.string({
        unit: fc.constantFrom(...pieces, 'title eq "', '" ', 'tag co "'),
        maxLength: 40,
      }),
      fc.string({ unit: codePoint }),
      fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
    )
    let parsed = 0
    fc.assert(
      fc.property(garbage, (text) => {
        try {
          const filter = parse(text)
          if (filter !== undefined) parsed++
          if (filter !== undefined)
            expect(parse(formatFilter(filter as Filter))).toStrictEqual(filter)
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidInputError)
          expect(messages).toContain((error as InvalidInputError).message)
        }
      }),
      { numRuns: propertyRuns() },
    )
    expect(parsed).toBeGreaterThan(0)
  })
})
