import { describe, expect, it } from 'vitest'
import { decodeUtf8 } from '../../src/base/decode-utf8.js'

describe('decodeUtf8', () => {
  it.each(['', 'abc', 'ä😀', '\uFEFFabc', 'a\0b'])('returns %j unchanged', (text) => {
    expect(decodeUtf8(new TextEncoder().encode(text))).toBe(text)
  })

  it.each([[[0xe4]], [[0xff, 0xfe, 0x61, 0]], [[0xf0, 0x9f, 0x98]], [[0xed, 0xa0, 0x80]]])(
    'returns undefined for the bytes %j, and decodes the next ones',
    (bytes) => {
      expect(decodeUtf8(Uint8Array.from(bytes))).toBeUndefined()
      expect(decodeUtf8(Uint8Array.of(0x61))).toBe('a')
    },
  )
})
