import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExpression } from '../../src/core/filter/parse-expression.js'
import { createItemSyntax, createVaultSyntax, parseInstant } from '../../src/filters/syntax.js'
import { InvalidInputError, quoteFilterValue } from '../../src/index.js'
import { arbitraryFilterValue, pieces } from '../support/arbitraries/filters.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { codePoint } from '../support/arbitraries/strings.js'
import { measureCpuTime } from '../support/cpu-time.js'
import { runAll } from '../support/run-all.js'
import { invalid } from '../support/service/rejections.js'

const syntax = createItemSyntax(String)
const { attributes } = syntax
const parse = (text: string) => parseExpression(text, syntax, Number.POSITIVE_INFINITY)
const title = attributes.get('title')
const textOperators = 'eq, ne, co, sw, ew, gt, ge, lt, le or pr'
const names =
  'title, name, tag, tags, category, state, favorite, urls, urls.href, createdAt, updatedAt, lastEditedBy, version'

describe('createItemSyntax', () => {
  it.each(['', ' ', '\n\t'])('returns undefined for %j', (text) => {
    expect(parse(text)).toBeUndefined()
  })

  it.each([
    'TITLE EQ "a" AND NOT (Tag Pr) OR favorite eq TRUE',
    '  title eq"a"and(not(tag pr))or favorite eq true ',
    '((title eq "a") and (not (tag pr or version gt -1.5e3)))',
    'version le 0 and createdAt ge "2026-01-31T08:00:00.123456+01:00"',
    'urls pr and urls.href sw "https://" and lastEditedBy ew "@example.com"',
    'title eq null or title ne null',
  ])('accepts %s', (text) => {
    expect(parse(text)).toBeDefined()
  })

  it('gives `and` precedence over `or`, and `not` over both', () => {
    const text = 'tag pr or title pr and not (title pr) and tag pr'
    const [tagPr, titlePr] = [
      { op: 'pr', attribute: attributes.get('tag') },
      { op: 'pr', attribute: title },
    ]
    const not = { op: 'not', term: titlePr }
    expect(parse(text)).toEqual({
      op: 'or',
      terms: [tagPr, { op: 'and', terms: [titlePr, not, tagPr] }],
    })
  })

  it.each([
    ['title eq "my "quoted" title"', 'my "quoted" title'],
    ['title eq "7" or 8" screen"', '7" or 8" screen'],
    ['title eq "C:\\temp\\"', 'C:\\temp\\'],
    ['(title eq "a (the "b")")', 'a (the "b")'],
    ['title eq "a" and not b"', 'a" and not b'],
  ])('parses the value of %s as the contract does', (text, value) => {
    expect(parse(text)).toEqual({ op: 'eq', attribute: title, value })
  })

  it.each([
    ['titel eq "a"', `must compare one of the attributes ${names} at character 1`],
    [
      'title eq "a" and fields eq "b"',
      `must compare one of the attributes ${names} at character 18`,
    ],
    ['title is "a"', `must have one of the operators ${textOperators} at character 7`],
    ['favorite gt true', 'must have one of the operators eq, ne or pr at character 10'],
    ['version co 1', 'must have one of the operators eq, ne, gt, ge, lt, le or pr at character 9'],
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
  ])('rejects %j and names the character', (text, message) => {
    expect(() => parse(text)).toThrow(expect.objectContaining(invalid(`filter ${message}`)))
  })

  it('rejects attributes of items in a filter of vaults', () => {
    expect(() => parseExpression('tag pr', createVaultSyntax(String), 250)).toThrow(
      'filter must compare one of the attributes name, title, description, type, createdAt, ',
    )
  })

  it('rejects the 65th comparison', () => {
    const text = (count: number): string => Array(count).fill('tag pr').join(' or ')
    expect(parse(text(64))).toBeDefined()
    const error = invalid('filter must have at most 64 comparisons at character 641')
    expect(() => parse(text(65))).toThrow(expect.objectContaining(error))
  })

  it('rejects parentheses more than 32 deep', () => {
    const text = (depth: number): string => `${'not('.repeat(depth)}tag pr${')'.repeat(depth)}`
    expect(parse(text(32))).toBeDefined()
    const error = invalid('filter must have at most 32 nested parentheses at character 132')
    expect(() => parse(text(33))).toThrow(expect.objectContaining(error))
  })

  it('returns the value that quoteFilterValue quoted, whatever it is', () => {
    fc.assert(
      fc.property(arbitraryFilterValue(), (value) => {
        const comparison = { op: 'sw', attribute: title, value }
        const text = `title sw ${quoteFilterValue(value)}`
        expect(parse(text)).toEqual(comparison)
        expect(parse(`not (${text}) and tag pr`)).toMatchObject({
          terms: [{ op: 'not', term: comparison }, { op: 'pr' }],
        })
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

  const repeated = (text: string): string => text.repeat(200_000 / text.length)
  it.runIf(runAll).each([
    ['quotes', `title eq "${repeated('"')}x`],
    ['a quote and blanks', `title eq "a"${repeated(' ')}x`],
    ['a quote, `and` and blanks', `title eq "a" and ${repeated(' ')}x`],
    ['a quote, `and` and negations', `title eq "a" and ${repeated('not (')}x`],
    ['a quote, `and` and words', `title eq "a" and ${repeated('not ')}x`],
    ['a quote, `and` and a long word', `title eq "a" and ${repeated('a')}`],
    ['quotes and beginnings of comparisons', `title eq "${repeated('" and title pr')}x`],
    ['quotes and beginnings of negations', `title eq "${repeated('" and not (')}x`],
    ['backslashes before quotes', `title eq "${repeated('\\"')}x`],
    ['parentheses', repeated('(')],
    ['negations', repeated('not(')],
    ['a number', `version eq ${repeated('1')}x`],
    ['blanks', `${repeated(' ')}x`],
  ])('rejects 200,000 characters in linear time: %s', (_, text) => {
    const cpuTime = measureCpuTime()
    expect(() => parse(text)).toThrow(InvalidInputError)
    expect(cpuTime()).toBeLessThan(1000)
  })
})

describe('parseInstant', () => {
  it.each([
    ['2026-01-31T08:00:00Z', Date.UTC(2026, 0, 31, 8)],
    ['2026-01-31t08:00:00z', Date.UTC(2026, 0, 31, 8)],
    ['2026-01-31T08:00:00+09:30', Date.UTC(2026, 0, 30, 22, 30)],
    ['2026-01-31T08:00:00.5-01:00', Date.UTC(2026, 0, 31, 9, 0, 0, 500)],
    ['2026-01-31T08:00:00.123000Z', Date.UTC(2026, 0, 31, 8, 0, 0, 123)],
    ['2026-01-31T08:00:00.123001Z', Date.UTC(2026, 0, 31, 8, 0, 0, 123) + 0.5],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    ['0000-01-01', -62_167_219_200_000],
  ])('parses %s', (text, milliseconds) => {
    expect(parseInstant(text)).toBe(milliseconds)
  })

  it.each([
    ...['', 'today', '2026', '2026-1-31', '2026-01-31 08:00:00Z', '2026-01-31T08:00:00'],
    ...['2026-02-30', '2026-13-01', '2026-02-29T08:00:00Z', '2026-00-10', '2026-01-00'],
    ...['2026-01-31T25:00:00Z', '2026-01-31T08:60:00Z', '2026-01-31T08:00:00+9:30'],
    ...['2026-01-31T08:00:00.Z', '1769846400000', '2026-01-31T08:00:00Z\n'],
  ])('returns undefined for %j', (text) => {
    expect(parseInstant(text)).toBeUndefined()
  })

  it('parses every date as it was formatted', () => {
    const [min, max] = [new Date('0000-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59.999Z')]
    fc.assert(
      fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
        expect(parseInstant(date.toISOString())).toBe(date.getTime())
      }),
      { numRuns: propertyRuns() },
    )
  })
})
