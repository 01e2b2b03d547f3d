import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../src/base/concat-bytes.js'

describe('concatBytes', () => {
  it('returns the bytes of all parts in their order', () => {
    const parts = [Uint8Array.of(1, 2), new Uint8Array(0), Uint8Array.of(0, 3, 4).subarray(1)]
    expect(concatBytes(parts)).toEqual(Uint8Array.of(1, 2, 3, 4))
  })

  it('returns no bytes for no parts', () => {
    expect(concatBytes([])).toEqual(new Uint8Array(0))
  })

  it('copies a single part', () => {
    const part = Uint8Array.of(1)
    const bytes = concatBytes([part])
    part[0] = 2
    expect(bytes).toEqual(Uint8Array.of(1))
  })
})
