import { describe, expect, it } from 'vitest'
import { requiredTitles } from '../../../src/core/filter/filter.js'
import { parseFilter } from '../../../src/core/filter/parse-filter.js'

describe('the titles that a filter demands', () => {
  it.each([
    ['title eq "a"', ['a']],
    ['title co "a"', undefined],
    ['tag eq "a"', undefined],
    ['title eq "a" and tag eq "b"', ['a']],
    ['tag eq "b" and title eq "a"', ['a']],
    ['tag eq "a" and title co "b"', undefined],
    ['title eq "a" or name eq "b" or title eq "a"', ['a', 'b']],
    ['title eq "a" or tag eq "b"', undefined],
    ['(title eq "a" or title eq "b") and title eq "c"', ['c']],
    ['(title eq "a" and tag eq "b") or (title eq "c" and tag eq "d")', ['a', 'c']],
    ['(title eq "a" or tag eq "b") and (title eq "c" or title eq "d")', ['c', 'd']],
  ])('%s', (text, titles) => {
    const filter = parseFilter(text, ['title', 'tag'])
    const found = filter && requiredTitles(filter)
    expect(found && [...found]).toEqual(titles)
  })
})
