import { describe, expect, it } from 'vitest'
import { setNewest } from '../../src/base/set-newest.js'

describe('setNewest', () => {
  it('removes the entry that was not set for the longest time, and returns its value', () => {
    const entries = new Map([
      ['a', 1],
      ['b', 2],
    ])
    expect(setNewest(entries, 'a', 3, 2)).toBeUndefined()
    expect(setNewest(entries, 'c', 4, 2)).toBe(2)
    expect([...entries]).toEqual([
      ['a', 3],
      ['c', 4],
    ])
  })
})
