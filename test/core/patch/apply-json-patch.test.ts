import specTests from 'json-patch-test-suite/spec_tests.json' with { type: 'json' }
import tests from 'json-patch-test-suite/tests.json' with { type: 'json' }
import { describe, expect, it } from 'vitest'
import {
  applyJsonPatch,
  PatchError,
  type PatchOp,
} from '../../../src/core/patch/apply-json-patch.js'
import { parsePointer } from '../../../src/core/patch/json-pointer.js'
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

const verbs = ['add', 'remove', 'replace']
const suite = [...tests, ...specTests] as readonly SuiteCase[]
const enabled = suite.filter(({ disabled }) => !disabled)
const cases = enabled.filter(({ patch }) => patch.every(({ op }) => verbs.includes(op)))
const named = cases.map((one, index) => ({
  ...one,
  name: `${index} ${one.comment ?? JSON.stringify(one.patch)}`,
}))

describe('json-patch-test-suite', () => {
  it('has 62 enabled cases of add, remove and replace alone, 12 of them errors', () => {
    expect(cases).toHaveLength(62)
    expect(cases.filter(({ error }) => error !== undefined)).toHaveLength(12)
    expect(
      cases.every(({ error, expected }) => (error === undefined) !== (expected === undefined)),
    ).toBe(true)
  })

  it.each(named.filter(({ error }) => error === undefined))('$name', ({ doc, patch, expected }) => {
    expect(run(doc, patch)).toStrictEqual(expected)
  })

  it.each(named.filter(({ error }) => error !== undefined))('$name', ({ doc, patch }) => {
    const before = structuredClone(doc)
    expect(() => patch.reduce(step, doc)).toThrow(PatchError)
    expect(doc).toStrictEqual(before)
  })
})

describe('patchDocument', () => {
  it.each<[string, unknown, PatchOp, (string | number)[], unknown, unknown]>([
    ['adds a member', { a: 1 }, 'add', ['b'], 2, { a: 1, b: 2 }],
    ['adds over a member', { a: 1 }, 'add', ['a'], 2, { a: 2 }],
    ['adds a member that objects inherit', {}, 'add', ['toString'], 1, { toString: 1 }],
    ['adds at a number', [1, 3], 'add', [1], 2, [1, 2, 3]],
    ['adds at the end', [1], 'add', ['-'], 2, [1, 2]],
    ['adds at the length', [1], 'add', ['1'], 2, [1, 2]],
    ['adds a member named -', { a: {} }, 'add', ['a', '-'], 2, { a: { '-': 2 } }],
    ['replaces with null', { a: 1 }, 'replace', ['a'], null, { a: null }],
    ['replaces null', { a: null }, 'replace', ['a'], 0, { a: 0 }],
    [
      'replaces deep within',
      { a: [{ b: [1] }] },
      'replace',
      ['a', 0, 'b', 0],
      '',
      { a: [{ b: [''] }] },
    ],
    ['replaces a member named as a path', { 'a/b~c': 1 }, 'replace', ['a/b~c'], 2, { 'a/b~c': 2 }],
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
  ])('leaves the document that it is given as it was: %s %j', (op, tokens) => {
    const document = { a: [{ c: 1 }], d: {} }
    applyJsonPatch(document, op, tokens, 2)
    expect(document).toEqual({ a: [{ c: 1 }], d: {} })
  })

  it('shares with it what the way to the place does not lead through', () => {
    const document = { a: [{ b: 1 }, { b: 2 }], c: {} }
    const changed = applyJsonPatch(document, 'replace', ['a', 0, 'b'], 3) as typeof document
    expect(changed).toEqual({ a: [{ b: 3 }, { b: 2 }], c: {} })
    expect(changed.a[1]).toBe(document.a[1])
    expect(changed.c).toBe(document.c)
  })

  it.each<[string, unknown, PatchOp, string[], unknown?]>([
    ['replaces what is not there', { a: 1 }, 'replace', ['b'], 1],
    ['removes what is not there', { a: 1 }, 'remove', ['b']],
    ['removes at -', [1], 'remove', ['-']],
    ['replaces at -', [1], 'replace', ['-'], 1],
    ['goes on behind -', [{}], 'add', ['-', 'a'], 1],
    ['goes on at the length', [{}], 'add', ['1', 'a'], 1],
    ['removes at the length', [1], 'remove', ['1']],
    ['replaces at the length', [1], 'replace', ['1'], 1],
    ['adds behind the length', [1], 'add', ['2'], 1],
    ['adds where 32 bits overflow', [1], 'add', ['4294967297'], 1],
    ['replaces where 32 bits overflow', [1], 'replace', ['4294967296'], 1],
    ['adds with a leading zero', [1], 'add', ['01'], 1],
    ['adds below zero', [1], 'add', ['-1'], 1],
    ['goes through a leading zero', [[1]], 'add', ['00', '-'], 1],
    ['adds to the length of a list', [1], 'replace', ['length'], 0],
    ['goes through a string', { a: 'text' }, 'replace', ['a', '0'], 1],
    ['goes through the length of a string', { a: 'text' }, 'replace', ['a', 'length'], 1],
    ['adds to a string', { a: 'text' }, 'add', ['a', 'b'], 1],
    ['adds to null', { a: null }, 'add', ['a', 'b'], 1],
    ['goes through null', { a: null }, 'add', ['a', 'b', 'c'], 1],
    ['goes through nothing', {}, 'add', ['a', 'b', 'c'], 1],
    ['adds to a scalar root', 5, 'add', ['a'], 1],
    ['replaces what is inherited', {}, 'replace', ['toString'], 1],
    ['removes what is inherited', {}, 'remove', ['constructor']],
    ['goes through the constructor', {}, 'add', ['constructor', 'prototype', 'bad'], 1],
    ['goes through __proto__', {}, 'add', ['__proto__', 'bad'], 1],
    ['adds __proto__', {}, 'add', ['__proto__'], { bad: 1 }],
    [
      'goes through an own __proto__',
      JSON.parse('{"__proto__":{"a":1}}'),
      'add',
      ['__proto__', 'a'],
      1,
    ],
    ['adds without a value', {}, 'add', ['a']],
    ['replaces without a value', { a: 1 }, 'replace', ['a']],
    ['replaces the root without a value', {}, 'replace', []],
  ])('refuses what %s, and leaves the document', (_, document, op, tokens, value) => {
    const before = structuredClone(document)
    expect(() => applyJsonPatch(document, op, tokens, value)).toThrow(PatchError)
    expect(document).toStrictEqual(before)
    expect(isUnpolluted()).toBe(true)
  })

  it.each<[string[], unknown, string]>([
    [['a', 'b'], { a: 'hunter2' }, 'leads to a place that is not there'],
    [['__proto__'], { a: 'hunter2' }, 'cannot be changed so'],
  ])('says of %j nothing that the document holds', (tokens, document, message) => {
    const error = refusalOf(() => applyJsonPatch(document, 'add', tokens, 'hunter3'))
    expect(error).toStrictEqual(new PatchError(message))
    expect(error).not.toHaveProperty('cause')
    expect(error).not.toHaveProperty('tree')
  })
})

function run(doc: unknown, patch: readonly SuiteOperation[]): unknown {
  return patch.reduce(step, doc)
}

function step(document: unknown, { op, path, value }: SuiteOperation): unknown {
  const tokens = parsePointer(path)
  if (tokens === undefined) throw new PatchError('is not a JSON Pointer')
  return applyJsonPatch(document, op as PatchOp, tokens, value)
}

function refusalOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}
