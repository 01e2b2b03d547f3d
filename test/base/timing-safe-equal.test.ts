import { describe, expect, it } from 'vitest'
import { timingSafeEqual } from '../../src/base/timing-safe-equal.js'

describe('timingSafeEqual', () => {
  it.each([
    [[], [], true],
    [[1, 2], [1, 2], true],
    [[1, 2], [3, 2], false],
    [[1, 2], [1, 3], false],
    [[1, 2], [1], false],
    [[1], [1, 2], false],
    [[0], [], false],
  ])('compares %o and %o', (left, right, isEqual) => {
    expect(timingSafeEqual(Uint8Array.from(left), Uint8Array.from(right))).toBe(isEqual)
  })
})
