import { describe, expect, it } from 'vitest'
import { quoteFilterValue } from '../../../src/core/filter/quote-filter-value.js'

describe('quoteFilterValue', () => {
  it.each([
    ['Example', '"Example"'],
    ['', '""'],
    ['my "quoted" title', '"my \\"quoted\\" title"'],
    ['\\\\server\\share', '"\\\\server\\share"'],
    ['C:\\', '"C:\\\\"'],
    ['C:\\"', '"C:\\\\\\""'],
    ['ß😀\n', '"ß😀\n"'],
  ])('returns the value %j between quotes', (value, text) => {
    expect(quoteFilterValue(value)).toBe(text)
  })
})
