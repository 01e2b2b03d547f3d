import { describe, expect, it } from 'vitest'
import {
  assert,
  assertEqual,
  assertMembersEqual,
  captureRejection,
} from '../../src/base/contract-case.js'

describe('assertEqual', () => {
  it.each([
    [1, 1],
    [undefined, undefined],
    [{ a: [1, null] }, { a: [1, null] }],
    [Uint8Array.of(1, 255), Buffer.from([1, 255])],
    [{ body: Buffer.from('x') }, { body: Uint8Array.of(120) }],
  ])('accepts %o for %o', (actual, expected) => {
    expect(() => assertEqual(actual, expected, 'it')).not.toThrow()
  })

  it.each([
    [1, 2, 'it: expected 2, got 1'],
    [undefined, null, 'it: expected null, got undefined'],
    [{ a: 1 }, { a: 1, b: 2 }, 'it: expected {"a":1,"b":2}, got {"a":1}'],
    [Uint8Array.of(97), Uint8Array.of(98), 'it: expected "bytes b", got "bytes a"'],
    [Uint8Array.of(97), 'a', 'it: expected "a", got "bytes a"'],
    [Uint8Array.of(0x80), Uint8Array.of(0xac), 'it: expected'],
    [[49], Uint8Array.of(49), 'it: expected "bytes 1", got [49]'],
  ])('rejects %o for %o', (actual, expected, message) => {
    expect(() => assertEqual(actual, expected, 'it')).toThrow(message)
  })

  it('distinguishes all bytes', () => {
    for (let byte = 0; byte < 255; byte++) {
      expect(() => assertEqual(Uint8Array.of(byte), Uint8Array.of(byte + 1), 'it')).toThrow()
    }
  })

  it.each([
    ['a'.repeat(9999), 'b', `it: expected "b", got "${'a'.repeat(59)}…`],
    ['b', 'a'.repeat(9999), `it: expected "${'a'.repeat(59)}…, got "b"`],
    ['a'.repeat(58), 'b', `it: expected "b", got "${'a'.repeat(58)}"`],
    ['a'.repeat(59), 'b', `it: expected "b", got "${'a'.repeat(59)}…`],
    [
      `${'a'.repeat(99)}x${'c'.repeat(99)}`,
      `${'a'.repeat(99)}y`,
      `it: expected …${'a'.repeat(20)}y", got …${'a'.repeat(20)}x${'c'.repeat(39)}…`,
    ],
    [
      { version: 1, body: 'z'.repeat(300), more: true },
      { version: 1, body: 'z'.repeat(300) },
      `it: expected …${'z'.repeat(19)}"}, got …${'z'.repeat(19)}","more":true}`,
    ],
  ])(
    'shows 60 characters of a long value, from 20 before the difference: case %#',
    (actual, expected, message) => {
      expect(() => assertEqual(actual, expected, 'it')).toThrow(new Error(message))
    },
  )
})

describe('assertMembersEqual', () => {
  it.each([
    [1, 1],
    [undefined, undefined],
    [{ a: 1, b: 2 }, { a: 1 }],
    [{ b: 2, a: { c: 1, d: 2 } }, { a: { c: 1 } }],
    [[{ a: 1, b: 2 }], [{ a: 1 }]],
    [
      new (class Row {
        version = 1
        etag = 'x'
        body = Buffer.from('b')
      })(),
      { body: Uint8Array.of(98), version: 1 },
    ],
  ])('accepts %o for %o', (actual, expected) => {
    expect(() => assertMembersEqual(actual, expected, 'it')).not.toThrow()
  })

  it.each([
    [{ a: 1, c: 2 }, { a: 1, b: 2 }, 'it: expected {"a":1,"b":2}, got {"a":1}'],
    [{ a: 2, b: 2 }, { a: 1 }, 'it: expected {"a":1}, got {"a":2}'],
    [[{ a: 1 }, { a: 2 }], [{ a: 1 }], 'it: expected [{"a":1}], got [{"a":1},{"a":2}]'],
    [{ a: 1 }, [1], 'it: expected [1], got {"a":1}'],
    [[1], { a: 1 }, 'it: expected {"a":1}, got [1]'],
    [undefined, { a: 1 }, 'it: expected {"a":1}, got undefined'],
    [null, { a: 1 }, 'it: expected {"a":1}, got null'],
    [{ a: 1 }, undefined, 'it: expected undefined, got {"a":1}'],
    [
      { body: Buffer.from('x') },
      { body: Uint8Array.of(121) },
      'it: expected {"body":"bytes y"}, got {"body":"bytes x"}',
    ],
  ])('rejects %o for %o', (actual, expected, message) => {
    expect(() => assertMembersEqual(actual, expected, 'it')).toThrow(new Error(message))
  })
})

describe('assert and captureRejection', () => {
  it('throw an error with the given label', async () => {
    expect(() => assert(true, 'it')).not.toThrow()
    expect(() => assert(false, 'it')).toThrow(/^it$/)
    expect(await captureRejection(Promise.reject(undefined), 'it')).toBeUndefined()
    await expect(captureRejection(Promise.resolve(), 'it')).rejects.toThrow(
      'it: expected a rejection',
    )
  })
})
