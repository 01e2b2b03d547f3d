import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeToken, parseIndex, parsePointer } from '../../../src/core/patch/json-patch.js'

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
  ])('parses the RFC example %j', (text, tokens) => {
    expect(parsePointer(text)).toEqual(tokens)
  })

  it.each([
    ['//', ['', '']],
    ['/~01', ['~1']],
    ['/~00', ['~0']],
    ['/~1~0', ['/~']],
    ['/~0~1/~1~1/~0~0', ['~/', '//', '~~']],
  ])('unescapes %j once', (text, tokens) => {
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
  ])('returns undefined for %j', (text) => {
    expect(parsePointer(text)).toBeUndefined()
  })

  it('reverses escapeToken', () => {
    const token = fc.oneof(
      fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a') }),
      fc.string(),
    )
    const law = fc.property(fc.array(token), (tokens) => {
      expect(parsePointer(tokens.map((token) => `/${escapeToken(token)}`).join(''))).toEqual(tokens)
    })
    fc.assert(law, { numRuns: 10_000 })
  })
})

describe('escapeToken', () => {
  it.each([
    ['', ''],
    ['label', 'label'],
    ['a/b~c', 'a~1b~0c'],
    ['~1/', '~01~1'],
  ])('escapes %j as %j', (token, text) => {
    expect(escapeToken(token)).toBe(text)
  })
})

describe('parseIndex', () => {
  it.each([
    ['0', 0],
    ['7', 7],
    ['10', 10],
    ['4294967297', 4_294_967_297],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('parses %j', (token, index) => {
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
  ])('returns undefined for %j', (token) => {
    expect(parseIndex(token)).toBeUndefined()
  })

  it('returns undefined for an unsafe integer', () => {
    expect(parseIndex('9007199254740992')).toBeUndefined()
  })
})
