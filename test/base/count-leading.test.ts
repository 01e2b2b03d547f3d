import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countLeading } from '../../src/base/count-leading.js'

describe('countLeading', () => {
  it('returns as many values as a scan from the beginning finds', () => {
    const numbers = fc
      .array(fc.integer({ min: 0, max: 20 }))
      .map((list) => list.sort((a, b) => a - b))
    fc.assert(
      fc.property(numbers, fc.integer({ min: -1, max: 21 }), (sorted, limit) => {
        const isSmaller = (value: number) => value < limit
        expect(countLeading(sorted, isSmaller)).toBe(sorted.filter(isSmaller).length)
      }),
    )
  })

  it('asks for at most 17 of 100,000 values', () => {
    const values = Array.from({ length: 100_000 }, (_, index) => index)
    let calls = 0
    const result = countLeading(values, (value) => {
      calls++
      return value < 99_999
    })
    expect(result).toBe(99_999)
    expect(calls).toBeLessThanOrEqual(17)
  })
})
