import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { itemAttributes, vaultAttributes } from '../../../src/core/filter/attributes.js'
import { InvalidInputError, quoteFilterValue } from '../../../src/index.js'
import { arbitraryFilter, arbitraryFilterValue, pieces } from '../../support/arbitraries/filters.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { codePoint } from '../../support/arbitraries/strings.js'
import { measureCpuTime } from '../../support/cpu-time.js'
import { runAll } from '../../support/run-all.js'
import {
  type Filter,
  type FilterCondition,
  formatFilter,
} from '../../support/service/format-filter.js'
import { parseFilter as parse, parseWith } from '../../support/service/parse-filter.js'
import { invalid } from '../../support/service/rejections.js'

const title = (value: string): FilterCondition => ({ op: 'eq', attribute: 'title', value })
const tag = (value: string): FilterCondition => ({ op: 'eq', attribute: 'tag', value })
const and = (...terms: Filter[]): Filter => ({ op: 'and', terms })
const or = (...terms: Filter[]): Filter => ({ op: 'or', terms })
const present = (attribute: string) => ({ op: 'pr', attribute })
const not = (term: object) => ({ op: 'not', term })
const textOperators = 'eq, ne, co, sw, ew, gt, ge, lt, le or pr'
const names = Object.keys(itemAttributes).join(', ')

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

    it.each([
      'TITLE EQ "a" AND NOT (Tag Pr) OR favorite eq TRUE',
      '  title eq"a"and(not(tag pr))or favorite eq true ',
      '((title eq "a") and (not (tag pr or version gt -1.5e3)))',
      'version le 0 and createdAt ge "2026-01-31T08:00:00.123456+01:00"',
      'urls pr and urls.href sw "https://" and lastEditedBy ew "@example.com"',
      'title eq null or title ne null',
    ])('parses every attribute and operator: %s', (text) => {
      expect(parse(text)).toBeDefined()
    })

    it('gives `and` precedence over `or`, and `not` over both', () => {
      const terms = [present('title'), not(present('title')), present('tag')]
      expect(parse('tag pr or title pr and not (title pr) and tag pr')).toStrictEqual({
        op: 'or',
        terms: [present('tag'), { op: 'and', terms }],
      })
    })

    it.each([
      ['title ne "a"', not(title('a'))],
      ['title eq null', not(present('title'))],
      ['title ne null', not(not(present('title')))],
    ])('parses %s as a negation', (text, filter) => {
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
      ['title eq "C:\\temp\\"', 'C:\\temp\\'],
      ['title eq "a" and not b"', 'a" and not b'],
    ])('parses %s as a title with its quotes and backslashes', (text, value) => {
      expect(parse(text)).toStrictEqual(title(value))
    })
  })

  describe('an invalid filter', () => {
    it.each([
      ['titel eq "a"', `must compare one of the attributes ${names} at character 1`],
      [
        'title eq "a" and fields eq "b"',
        `must compare one of the attributes ${names} at character 18`,
      ],
      ['title is "a"', `must have one of the operators ${textOperators} at character 7`],
      ['favorite gt true', 'must have one of the operators eq, ne or pr at character 10'],
      [
        'version co 1',
        'must have one of the operators eq, ne, gt, ge, lt, le or pr at character 9',
      ],
      ['title eq a', 'must have a value in double quotes at character 10'],
      ['title eq true', 'must have a value in double quotes at character 10'],
      ['title gt null', 'must have a value in double quotes at character 10'],
      ['title eq', 'must have a value in double quotes at character 9'],
      ['favorite eq "true"', 'must have true or false at character 13'],
      ['favorite eq 1', 'must have true or false at character 13'],
      ['favorite eq trueish', 'must have true or false at character 13'],
      ['version eq "1"', 'must have a number at character 12'],
      ['version eq true', 'must have a number at character 12'],
      ['version eq 01', 'must have a number at character 12'],
      [
        'createdAt eq "today"',
        'must have a time in double quotes, such as 2026-01-31T08:00:00Z or 2026-01-31, at character 14',
      ],
      [
        'createdAt eq 2026',
        'must have a time in double quotes, such as 2026-01-31T08:00:00Z or 2026-01-31, at character 14',
      ],
      ['title eq "a', 'must close the quotes of the value at character 10'],
      ['title eq "a" tag pr', 'must close the quotes of the value at character 10'],
      ['tag pr tag pr', 'must continue with and, or with or, at character 8'],
      ['tag pr)', 'must continue with and, or with or, at character 7'],
      ['(tag pr', 'must have a closing parenthesis at character 8'],
      ['not tag pr', 'must have parentheses after not at character 5'],
      ['  title eq "\0"', 'has an invalid character at character 13'],
      ['title eq "\ud800"', 'has an invalid character at character 11'],
      ['title', `must have one of the operators ${textOperators} at character 6`],
      ["title eq 'a'", 'must have a value in double quotes at character 10'],
      ['title eq "', 'must close the quotes of the value at character 10'],
      ['title eq "a" b', 'must close the quotes of the value at character 10'],
      ['title eq "a\\" b', 'must close the quotes of the value at character 10'],
      ['title eq "a" and', 'must close the quotes of the value at character 10'],
      ['(title eq "a") and', 'must close the quotes of the value at character 11'],
      ['constructor eq "a"', `must compare one of the attributes ${names} at character 1`],
      ['"a" eq title', `must compare one of the attributes ${names} at character 1`],
      ['and title eq "a"', `must compare one of the attributes ${names} at character 1`],
      ['()', `must compare one of the attributes ${names} at character 2`],
      [') title eq "a"', `must compare one of the attributes ${names} at character 1`],
      ['(title eq "a"', 'must have a closing parenthesis at character 14'],
      ['title eq "a")', 'must continue with and, or with or, at character 13'],
      ['(title eq "a") tag eq "b"', 'must have a closing parenthesis at character 26'],
      ['(title pr) tag eq "b"', 'must continue with and, or with or, at character 12'],
    ])('rejects %j and names the character', (text, message) => {
      expect(() => parse(text)).toThrow(expect.objectContaining(invalid(`filter ${message}`)))
    })

    it('rejects an attribute of items in a filter of vaults', () => {
      const message =
        'filter must compare one of the attributes name, title, description, type, createdAt, ' +
        'updatedAt, version, attributeVersion at character 18'
      expect(() => parseWith(vaultAttributes, 'title eq "a" and tag eq "b"')).toThrow(
        expect.objectContaining(invalid(message)),
      )
    })

    it('rejects more than 64 comparisons', () => {
      const text = (count: number): string => Array(count).fill('tag eq "a"').join(' and ')
      expect(parse(text(64))).toStrictEqual(and(...Array<Filter>(64).fill(tag('a'))))
      expect(() => parse(text(65))).toThrow(
        expect.objectContaining(
          invalid('filter must have at most 64 comparisons at character 961'),
        ),
      )
    })

    it('rejects parentheses more than 32 deep', () => {
      const text = (open: string, depth: number): string =>
        `${open.repeat(depth)}tag eq "a"${')'.repeat(depth)}`
      expect(parse(text('(', 32))).toStrictEqual(tag('a'))
      expect(parse(text('not(', 32))).toBeDefined()
      for (const [open, position] of [
        ['(', 33],
        ['not(', 132],
      ] as const) {
        const message = `filter must have at most 32 nested parentheses at character ${position}`
        expect(() => parse(text(open, 33))).toThrow(expect.objectContaining(invalid(message)))
      }
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
      ['a quote, `and` and negations', `title eq "a" and ${repeated('not (')}x`],
      ['a quote, `and` and words', `title eq "a" and ${repeated('not ')}x`],
      ['quotes and presences', `title eq "${repeated('" and title pr')}x`],
      ['quotes and beginnings of negations', `title eq "${repeated('" and not (')}x`],
      ['negations', repeated('not(')],
      ['a number', `version eq ${repeated('1')}x`],
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

  it('returns the value that quoteFilterValue quoted, whatever it is', () => {
    fc.assert(
      fc.property(arbitraryFilterValue(), (value) => {
        const comparison = { op: 'sw', attribute: 'title', value }
        const text = `title sw ${quoteFilterValue(value)}`
        expect(parse(text)).toStrictEqual(comparison)
        expect(parse(`not (${text}) and tag pr`)).toStrictEqual({
          op: 'and',
          terms: [not(comparison), present('tag')],
        })
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

  it('returns an expression or throws a message without a part of the text', () => {
    const tokens = [
      ...pieces,
      'title eq "',
      '" ',
      ' pr',
      'not',
      ' not (',
      'true',
      ' 7',
      'version gt',
    ]
    const garbage = fc.oneof(
      fc.string({ unit: fc.constantFrom('title', ' pr', ' and ', '(', ')'), maxLength: 3 }),
      fc.string({ unit: fc.constantFrom(...tokens), maxLength: 40 }),
      fc.string({ unit: codePoint }),
      fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
    )
    const known = /^filter (?:has an invalid character|must [A-Za-z0-9 ,.:-]+) at character \d+$/
    let parsed = 0
    fc.assert(
      fc.property(garbage, (text) => {
        try {
          if (parse(text) !== undefined) parsed++
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidInputError)
          expect(String(Reflect.get(Object(error), 'message'))).toMatch(known)
        }
      }),
      { numRuns: propertyRuns() },
    )
    expect(parsed).toBeGreaterThan(0)
  })
})
