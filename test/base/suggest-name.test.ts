import { describe, expect, it } from 'vitest'
import { suggestName } from '../../src/base/suggest-name.js'

const known = ['history', 'limits', 'validateItem']

describe('suggestName', () => {
  it.each([
    ['histroy', 'history'],
    ['History', 'history'],
    ['limit', 'limits'],
    ['limmits', 'limits'],
    ['validatItem', 'validateItem'],
    ['validate', 'validateItem'],
  ])('suggests for %s the known name %s', (name, suggestion) => {
    expect(suggestName(name, known)).toBe(`, did you mean ${suggestion}?`)
  })

  it('suggests nothing when two characters differ or the name is long', () => {
    for (const name of ['hostry', 'his', '', 'x'.repeat(100_000)])
      expect(suggestName(name, known)).toBe('')
  })
})
