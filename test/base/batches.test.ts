import { describe, expect, it } from 'vitest'
import { batchesOf } from '../../src/base/batches.js'

describe('batchesOf', () => {
  it.each([
    [[], []],
    [[1], [[1]]],
    [[1, 2], [[1, 2]]],
    [
      [1, 2, 3],
      [[1, 2], [3]],
    ],
  ])('yields %j in parts of two', (elements, batches) => {
    expect([...batchesOf<number>(elements, 2)]).toEqual(batches)
  })
})
