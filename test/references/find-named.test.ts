import { describe, expect, it } from 'vitest'
import { findNamed } from '../../src/references/find-named.js'

const elements = [
  { id: 'one', label: 'First' },
  { id: 'two', label: 'first' },
  { id: 'three', label: 'one' },
  { id: 'ONE', label: 'Other' },
  { id: 'four' },
  { id: 'five', label: 'to\u212aen' },
  { id: 'six', label: 'Twice' },
  { id: 'seven', label: 'Twice' },
]

describe('findNamed', () => {
  it.each<[string, string[]]>([
    ['one', ['one']],
    ['ONE', ['ONE']],
    ['One', ['one', 'three', 'ONE']],
    ['First', ['one']],
    ['FIRST', ['one', 'two']],
    ['Four', ['four']],
    ['Twice', ['six', 'seven']],
    ['token', []],
    ['nothing', []],
    ['', []],
  ])('finds %j', (name, ids) => {
    const found = findNamed(elements, name, ({ label }) => label)
    expect(found.map(({ id }) => id)).toEqual(ids)
  })
})
