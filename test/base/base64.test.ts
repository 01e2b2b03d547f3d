import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  decodeBase64,
  fromBase64Url,
  isBase64,
  toBase64,
  toBase64Url,
} from '../../src/base/base64.js'

const lengths = [0, 1, 2, 3, 24_575, 24_576, 24_577, 100_000]

describe('isBase64', () => {
  it('returns true for every text that a runtime encodes', () => {
    for (let length = 0; length < 300; length++)
      expect(isBase64(Buffer.from(patterned(length)).toString('base64'))).toBe(true)
  })

  it.each([
    undefined,
    7,
    'a',
    'ab',
    'abc',
    'abcde',
    'a===',
    '====',
    'ab!=',
    'ab==abcd',
    'ab-_',
    'ab c',
  ])('returns false for %j', (value) => {
    expect(isBase64(value)).toBe(false)
  })

  it.each([
    ['', true],
    ['ab==', true],
    ['ab=', false],
    ['ab!=', false],
  ])('returns for 16 MiB that end in %j: %s', (end, expected) => {
    expect(isBase64('ABCD'.repeat(4_194_304) + end)).toBe(expected)
  })
})

describe('toBase64', () => {
  afterEach(() => vi.unstubAllGlobals())

  it.each(lengths)('encodes %i bytes when the runtime has Buffer', (length) => {
    const bytes = patterned(length)
    expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'))
  })

  it.each(lengths)('encodes %i bytes when the runtime has only btoa', (length) => {
    const bytes = patterned(length)
    const expected = Buffer.from(bytes).toString('base64')
    vi.stubGlobal('Buffer', undefined)
    expect(toBase64(withoutMethod(bytes))).toBe(expected)
  })

  it('calls the method of the bytes when the runtime has it', () => {
    const bytes = Object.assign(patterned(3), { toBase64: () => 'own' })
    expect(toBase64(bytes)).toBe('own')
  })

  it('encodes only its bytes when they are a part of a buffer', () => {
    const part = patterned(100).subarray(10, 13)
    const expected = Buffer.from([...part]).toString('base64')
    expect(toBase64(part)).toBe(expected)
    vi.stubGlobal('Buffer', undefined)
    expect(toBase64(withoutMethod(part))).toBe(expected)
  })
})

describe('decodeBase64', () => {
  afterEach(() => vi.unstubAllGlobals())

  it.each(['Buffer', 'atob'])('decodes every length with %s', (means) => {
    if (means === 'atob') vi.stubGlobal('Buffer', undefined)
    for (let length = 0; length < 300; length++) {
      const bytes = patterned(length)
      expect(decodeBase64(toBase64(bytes))).toEqual(bytes)
    }
  })

  it.each(['Buffer', 'atob'])('returns undefined for other text with %s', (means) => {
    if (means === 'atob') vi.stubGlobal('Buffer', undefined)
    for (const text of ['a', 'ab', 'abc', 'abcde', '!!!!', 'ab!=', 'abcd=', 'abc=abc=', '====']) {
      expect([text, decodeBase64(text)]).toEqual([text, undefined])
    }
  })
})

function patterned(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 31) & 255)
}

/** The bytes as in a runtime whose byte arrays have no `toBase64`, whatever this one has. */
function withoutMethod(bytes: Uint8Array): Uint8Array {
  return new Proxy(bytes, {
    has: (target, key) => key !== 'toBase64' && Reflect.has(target, key),
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

describe('toBase64Url', () => {
  it.each(['Buffer', 'btoa'])(
    'returns what fromBase64Url decodes, without padding, with %s',
    (means) => {
      for (const length of lengths) {
        const expected = Buffer.from(patterned(length)).toString('base64url')
        if (means === 'btoa') vi.stubGlobal('Buffer', undefined)
        expect(toBase64Url(patterned(length))).toBe(expected)
        expect(fromBase64Url(expected)).toEqual(patterned(length))
        vi.unstubAllGlobals()
      }
    },
  )
})

describe('fromBase64Url', () => {
  it.each(['AA==', 'A', 'AAAAA', 'AB', 'AAB', 'A+', 'A/', 'A A', 'AA\n', 'é'])(
    'returns undefined for %j',
    (text) => {
      expect(fromBase64Url(text)).toBeUndefined()
    },
  )
})
