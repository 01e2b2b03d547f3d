import fc from 'fast-check'
import specTests from 'json-patch-test-suite/spec_tests.json' with { type: 'json' }
import tests from 'json-patch-test-suite/tests.json' with { type: 'json' }
import { describe, expect, it } from 'vitest'
import { escapePointerToken } from '../../../src/base/json-text.js'
import {
  applyJsonPatch,
  PatchError,
  type PatchOp,
  parseIndex,
  parsePointer,
} from '../../../src/core/patch/json-patch.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { isUnpolluted } from '../../support/source/prototype-pollution.js'

interface SuiteOperation {
  readonly op: string
  readonly path: string
  readonly value?: unknown
}
interface SuiteCase {
  readonly comment?: string
  readonly doc: unknown
  readonly patch: readonly SuiteOperation[]
  readonly expected?: unknown
  readonly error?: string
  readonly disabled?: boolean
}

const supportedOps = ['add', 'remove', 'replace']
const suite = [...tests, ...specTests] as readonly SuiteCase[]
const enabled = suite.filter(({ disabled }) => !disabled)
const cases = enabled.filter(({ patch }) => patch.every(({ op }) => supportedOps.includes(op)))
const namedCases = cases.map((suiteCase, index) => ({
  ...suiteCase,
  name: `${index} ${suiteCase.comment ?? JSON.stringify(suiteCase.patch)}`,
}))

describe('applyJsonPatch on json-patch-test-suite', () => {
  it('runs the 62 enabled cases of add, remove and replace, 12 of them errors', () => {
    expect(cases).toHaveLength(62)
    expect(cases.filter(({ error }) => error !== undefined)).toHaveLength(12)
    expect(
      cases.every(({ error, expected }) => (error === undefined) !== (expected === undefined)),
    ).toBe(true)
  })

  it.each(namedCases.filter(({ error }) => error === undefined))(
    '$name',
    ({ doc, patch, expected }) => {
      expect(applySuitePatch(doc, patch)).toStrictEqual(expected)
    },
  )

  it.each(namedCases.filter(({ error }) => error !== undefined))('$name', ({ doc, patch }) => {
    const before = structuredClone(doc)
    expect(() => patch.reduce(applyOperation, doc)).toThrow(PatchError)
    expect(doc).toStrictEqual(before)
  })
})

const anyMessage = /^(?:path does not exist|cannot be applied)$/

describe('applyJsonPatch', () => {
  it.each<[string, unknown, PatchOp, (string | number)[], unknown, unknown]>([
    ['adds a member', { a: 1 }, 'add', ['b'], 2, { a: 1, b: 2 }],
    ['adds over a member', { a: 1 }, 'add', ['a'], 2, { a: 2 }],
    ['adds a member named like an inherited one', {}, 'add', ['toString'], 1, { toString: 1 }],
    ['inserts at a numeric index', [1, 3], 'add', [1], 2, [1, 2, 3]],
    ['appends at -', [1], 'add', ['-'], 2, [1, 2]],
    ['appends at an index equal to the length', [1], 'add', ['1'], 2, [1, 2]],
    ['adds a member named -', { a: {} }, 'add', ['a', '-'], 2, { a: { '-': 2 } }],
    ['replaces with null', { a: 1 }, 'replace', ['a'], null, { a: null }],
    ['replaces null', { a: null }, 'replace', ['a'], 0, { a: 0 }],
    [
      'replaces a deeply nested element',
      { a: [{ b: [1] }] },
      'replace',
      ['a', 0, 'b', 0],
      '',
      { a: [{ b: [''] }] },
    ],
    [
      'replaces a member whose name looks like a path',
      { 'a/b~c': 1 },
      'replace',
      ['a/b~c'],
      2,
      { 'a/b~c': 2 },
    ],
    ['replaces a member named /', { '/': 1 }, 'replace', ['/'], 2, { '/': 2 }],
    ['replaces a member named ~', { '~': 1 }, 'replace', ['~'], 2, { '~': 2 }],
    ['replaces the root', { a: 1 }, 'replace', [], [1], [1]],
    ['replaces a scalar root', 'a', 'replace', [], 'b', 'b'],
    ['removes a member', { a: 1, b: 2 }, 'remove', ['a'], undefined, { b: 2 }],
    ['removes false', { a: false }, 'remove', ['a'], undefined, {}],
    ['removes the last element', [1, 2], 'remove', ['1'], undefined, [1]],
  ])('%s', (_, document, op, tokens, value, expected) => {
    expect(applyJsonPatch(document, op, tokens, value)).toStrictEqual(expected)
  })

  it.each<[PatchOp, (string | number)[]]>([
    ['add', ['a', '-']],
    ['add', ['b']],
    ['replace', ['a', 0, 'c']],
    ['remove', ['a', 0, 'c']],
    ['remove', ['a']],
    ['replace', []],
  ])('does not modify the input document: %s %j', (op, tokens) => {
    const document = { a: [{ c: 1 }], d: {} }
    applyJsonPatch(document, op, tokens, 2)
    expect(document).toEqual({ a: [{ c: 1 }], d: {} })
  })

  it('shares the subtrees that are not on the path with the input document', () => {
    const document = { a: [{ b: 1 }, { b: 2 }], c: {} }
    const changed = applyJsonPatch(document, 'replace', ['a', 0, 'b'], 3) as typeof document
    expect(changed).toEqual({ a: [{ b: 3 }, { b: 2 }], c: {} })
    expect(changed.a[1]).toBe(document.a[1])
    expect(changed.c).toBe(document.c)
  })

  it.each<[string, unknown, PatchOp, string[], unknown?]>([
    ['replaces a missing member', { a: 1 }, 'replace', ['b'], 1],
    ['removes a missing member', { a: 1 }, 'remove', ['b']],
    ['removes at -', [1], 'remove', ['-']],
    ['replaces at -', [1], 'replace', ['-'], 1],
    ['continues after -', [{}], 'add', ['-', 'a'], 1],
    ['continues at an index equal to the length', [{}], 'add', ['1', 'a'], 1],
    ['removes at an index equal to the length', [1], 'remove', ['1']],
    ['replaces at an index equal to the length', [1], 'replace', ['1'], 1],
    ['adds beyond the length', [1], 'add', ['2'], 1],
    ['adds at an index that overflows 32 bits', [1], 'add', ['4294967297'], 1],
    ['replaces at an index that overflows 32 bits', [1], 'replace', ['4294967296'], 1],
    ['adds at an index with a leading zero', [1], 'add', ['01'], 1],
    ['adds at a negative index', [1], 'add', ['-1'], 1],
    ['follows an index with a leading zero', [[1]], 'add', ['00', '-'], 1],
    ['replaces the length of an array', [1], 'replace', ['length'], 0],
    ['descends into a string', { a: 'text' }, 'replace', ['a', '0'], 1],
    ['descends into the length of a string', { a: 'text' }, 'replace', ['a', 'length'], 1],
    ['adds a member to a string', { a: 'text' }, 'add', ['a', 'b'], 1],
    ['adds a member to null', { a: null }, 'add', ['a', 'b'], 1],
    ['descends into null', { a: null }, 'add', ['a', 'b', 'c'], 1],
    ['descends into a missing member', {}, 'add', ['a', 'b', 'c'], 1],
    ['adds a member to a scalar root', 5, 'add', ['a'], 1],
    ['replaces an inherited member', {}, 'replace', ['toString'], 1],
    ['removes an inherited member', {}, 'remove', ['constructor']],
    ['descends into the constructor', {}, 'add', ['constructor', 'prototype', 'bad'], 1],
    ['descends into __proto__', {}, 'add', ['__proto__', 'bad'], 1],
    ['adds __proto__', {}, 'add', ['__proto__'], { bad: 1 }],
    [
      'descends into an own __proto__',
      JSON.parse('{"__proto__":{"a":1}}'),
      'add',
      ['__proto__', 'a'],
      1,
    ],
    ['adds without a value', {}, 'add', ['a']],
    ['replaces without a value', { a: 1 }, 'replace', ['a']],
    ['replaces the root without a value', {}, 'replace', []],
  ])(
    'throws PatchError and leaves the document unchanged when an operation %s',
    (_, document, op, tokens, value) => {
      const before = structuredClone(document)
      const error = errorOf(() => applyJsonPatch(document, op, tokens, value))
      expect(error).toBeInstanceOf(PatchError)
      expect(error).toHaveProperty('message', expect.stringMatching(anyMessage))
      expect(document).toStrictEqual(before)
      expect(isUnpolluted()).toBe(true)
    },
  )

  it.each<[string[], unknown, string]>([
    [['a', 'b'], { a: 'hunter2' }, 'path does not exist'],
    [['__proto__'], { a: 'hunter2' }, 'cannot be applied'],
  ])('does not include document data in the error for %j', (tokens, document, message) => {
    const error = errorOf(() => applyJsonPatch(document, 'add', tokens, 'hunter3'))
    expect(error).toStrictEqual(new PatchError(message))
    expect(error).not.toHaveProperty('cause')
    expect(error).not.toHaveProperty('tree')
  })
})

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

  it('reverses escapePointerToken', () => {
    const token = fc.oneof(
      fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a') }),
      fc.string(),
    )
    const law = fc.property(fc.array(token), (tokens) => {
      expect(parsePointer(tokens.map((token) => `/${escapePointerToken(token)}`).join(''))).toEqual(
        tokens,
      )
    })
    fc.assert(law, { numRuns: propertyRuns() })
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

function applySuitePatch(doc: unknown, patch: readonly SuiteOperation[]): unknown {
  return patch.reduce(applyOperation, doc)
}

function applyOperation(document: unknown, { op, path, value }: SuiteOperation): unknown {
  const tokens = parsePointer(path)
  if (tokens === undefined) throw new PatchError('is not a JSON Pointer, such as /title')
  return applyJsonPatch(document, op as PatchOp, tokens, value)
}

function errorOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}
