import { describe, expect, it } from 'vitest'
import { fromHex, toHex } from '../../src/base/to-hex.js'

describe('toHex', () => {
  it('returns two digits for each byte', () => {
    expect(toHex(Uint8Array.of(0, 9, 16, 255))).toBe('000910ff')
  })
})

describe('fromHex', () => {
  it('decodes digits in any case', () => {
    expect(fromHex('000910fF')).toEqual(Uint8Array.of(0, 9, 16, 255))
    expect(fromHex('')).toEqual(new Uint8Array())
  })

  it.each(['0', '0g', '0x00', ' 00', '00\n0', 'é0'])('returns undefined for %o', (text) => {
    expect(fromHex(text)).toBeUndefined()
  })
})
