import { describe, expect, it } from 'vitest'
import { type Filter, formatFilter } from '../../../src/core/filter/filter.js'

const title = (value: string): Filter => ({ op: 'eq', attribute: 'title', value })

describe('formatFilter', () => {
  it.each([
    ['Example', 'title eq "Example"'],
    ['', 'title eq ""'],
    ['my "quoted" title', 'title eq "my \\"quoted\\" title"'],
    ['\\\\server\\share', 'title eq "\\\\server\\share"'],
    ['C:\\', 'title eq "C:\\\\"'],
    ['C:\\"', 'title eq "C:\\\\\\""'],
    ['ß😀\n', 'title eq "ß😀\n"'],
  ])('returns the value %j between quotes', (value, text) => {
    expect(formatFilter(title(value))).toBe(text)
  })

  it('encloses an `and` group within an `or` group in parentheses', () => {
    const filter: Filter = {
      op: 'or',
      terms: [
        { op: 'co', attribute: 'tag', value: 'a' },
        { op: 'and', terms: [title('b'), title('c')] },
        title('d'),
      ],
    }
    expect(formatFilter(filter)).toBe(
      'tag co "a" or (title eq "b" and title eq "c") or title eq "d"',
    )
  })
})
