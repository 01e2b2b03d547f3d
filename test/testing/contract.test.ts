import { describe, expect, it } from 'vitest'
import { holds, rejection, same } from '../../src/testing/contract.js'

describe('same', () => {
  it.each([
    [1, 1],
    [undefined, undefined],
    [{ a: [1, null] }, { a: [1, null] }],
    [Uint8Array.of(1, 255), Buffer.from([1, 255])],
    [{ body: Buffer.from('x') }, { body: Uint8Array.of(120) }],
  ])('takes %o for %o', (actual, expected) => {
    expect(() => same(actual, expected, 'it')).not.toThrow()
  })

  it.each([
    [1, 2, 'it: expected 2, got 1'],
    [undefined, null, 'it: expected null, got undefined'],
    [{ a: 1 }, { a: 1, b: 2 }, 'it: expected {"a":1,"b":2}, got {"a":1}'],
    [Uint8Array.of(97), Uint8Array.of(98), 'it: expected "bytes b", got "bytes a"'],
    [Uint8Array.of(97), 'a', 'it: expected "a", got "bytes a"'],
    [Uint8Array.of(0x80), Uint8Array.of(0xac), 'it: expected'],
    [[49], Uint8Array.of(49), 'it: expected "bytes 1", got [49]'],
  ])('tells %o from %o', (actual, expected, message) => {
    expect(() => same(actual, expected, 'it')).toThrow(message)
  })

  it('tells every byte from every other', () => {
    for (let byte = 0; byte < 255; byte++) {
      expect(() => same(Uint8Array.of(byte), Uint8Array.of(byte + 1), 'it')).toThrow()
    }
  })

  it('says the beginning of what is long', () => {
    expect(() => same('a'.repeat(9999), 'b', 'it')).toThrow(/^it: expected "b", got "a{499}…$/)
  })
})

describe('holds and rejection', () => {
  it('throw what they were told when a promise is not kept', async () => {
    expect(() => holds(true, 'it')).not.toThrow()
    expect(() => holds(false, 'it')).toThrow(/^it$/)
    expect(await rejection(Promise.reject(undefined), 'it')).toBeUndefined()
    await expect(rejection(Promise.resolve(), 'it')).rejects.toThrow('it: expected a rejection')
  })
})
