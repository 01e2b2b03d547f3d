import { describe, expect, it } from 'vitest'
import { findByIdOrName } from '../../src/base/find-by-id-or-name.js'

const elements = [
  { id: 'a', label: 'b' },
  { id: 'b', label: 'c' },
  { id: 'd', label: 'c' },
  { id: 'e' },
]

describe('findByIdOrName', () => {
  it.each([
    ['a', ['a']],
    ['b', ['b']],
    ['c', ['b', 'd']],
    ['C', []],
    ['', []],
  ])('finds %j in the elements %j', (name, ids) => {
    const found = findByIdOrName(elements, name, ({ label }) => label)
    expect(found.map(({ id }) => id)).toEqual(ids)
  })
})
