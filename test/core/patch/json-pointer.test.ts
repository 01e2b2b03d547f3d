import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatPointer, parseIndex, parsePointer } from '../../../src/core/patch/json-pointer.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'

describe('parsePointer', () => {
  // RFC 6901, section 5
  it.each([
    ['', []],
    ['/foo', ['foo']],
    ['/foo/0', ['foo', '0']],
    ['/', ['']],
    ['/a~1b', ['a/b']],
    ['/c%d', ['c%d']],
    ['/e^f', ['e^f']],
    ['/g|h', ['g|h']],
    ['/i\\j', ['i\\j']],
    ['/k"l', ['k"l']],
    ['/ ', [' ']],
    ['/m~0n', ['m~n']],
  ])('reads %j as the RFC does', (text, tokens) => {
    expect(parsePointer(text)).toEqual(tokens)
  })

  it.each([
    ['//', ['', '']],
    ['/~01', ['~1']],
    ['/~00', ['~0']],
    ['/~1~0', ['/~']],
    ['/~0~1/~1~1/~0~0', ['~/', '//', '~~']],
  ])('reads every escape of %j once', (text, tokens) => {
    expect(parsePointer(text)).toEqual(tokens)
  })

  it.each([
    'title',
    'a/b',
    '#/title',
    ' /title',
    '~0',
    '/~2',
    '/~',
    '/a~',
    '/a/~/b',
    '/~~0',
    '/~a',
  ])('knows that %j is no pointer', (text) => {
    expect(parsePointer(text)).toBeUndefined()
  })

  it('reads back whatever was formatted', () => {
    const token = fc.oneof(
      fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a') }),
      fc.string(),
    )
    const law = fc.property(fc.array(token), (tokens) => {
      expect(parsePointer(formatPointer(tokens))).toEqual(tokens)
    })
    fc.assert(law, { numRuns: propertyRuns() })
  })
})

describe('formatPointer', () => {
  it.each([
    [[], ''],
    [[''], '/'],
    [['fields', 0, 'label'], '/fields/0/label'],
    [['a/b~c', '~1/'], '/a~1b~0c/~01~1'],
  ])('of %j is %j', (tokens, text) => {
    expect(formatPointer(tokens)).toBe(text)
  })
})

describe('parseIndex', () => {
  it.each([
    ['0', 0],
    ['7', 7],
    ['10', 10],
    ['4294967297', 4_294_967_297],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('reads %j', (token, index) => {
    expect(parseIndex(token)).toBe(index)
  })

  it.each([
    '',
    '-',
    '01',
    '00',
    '-1',
    '+1',
    '1e0',
    '1.0',
    ' 1',
    '1 ',
    '1\n',
    '0x1',
    '٣',
    '1a',
    'a1',
  ])('refuses %j', (token) => {
    expect(parseIndex(token)).toBeUndefined()
  })

  it('refuses what is no safe integer', () => {
    expect(parseIndex('9007199254740992')).toBeUndefined()
  })
})
