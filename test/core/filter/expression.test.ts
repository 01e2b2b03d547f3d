import { describe, expect, it } from 'vitest'
import { itemSyntax } from '../../../src/core/filter/contract-filters.js'
import { createMatcher, requiredTitles } from '../../../src/core/filter/expression.js'
import { parseExpression } from '../../../src/core/filter/parse-expression.js'
import { createTestVault } from '../../../src/testing.js'

describe('requiredTitles', () => {
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
  ])('returns the required titles of %s', (text, titles) => {
    const filter = parseExpression(text, itemSyntax)
    const required = filter && requiredTitles(filter)
    expect(required && [...required]).toEqual(titles)
  })
})

describe('createMatcher', () => {
  const long = 'x'.repeat(1000)
  it.each([
    ['64 short values', Array(64).fill('tag co "yy"').join(' or ')],
    ['a value of 1,000 characters', `tag co "y${long}" or tag co "z${long}"`],
  ])('lets the event loop take turns between searches for %s', async (_, text) => {
    const { service, caller, vaultId } = await createTestVault()
    const [item] = await service.listItems(caller, { vaultId })
    const filter = parseExpression(text, itemSyntax)
    if (item === undefined || filter === undefined) throw new Error('nothing to match')
    let turns = 0
    const count = (): void => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    const matches = createMatcher(filter)
    expect(await matches({ ...item, tags: Array(8).fill('x'.repeat(65_536)) })).toBe(false)
    clearImmediate(timer)
    expect(turns).toBeGreaterThanOrEqual(8)
  })

  it('reads an attribute once, however often it is compared', async () => {
    let reads = 0
    const attribute = {
      operators: ['eq'],
      expectedValue: '',
      parse: () => undefined,
      read: (): string[] => {
        reads++
        return []
      },
    } as const
    const term = { op: 'eq', attribute, value: 'a' } as const
    expect(await createMatcher({ op: 'or', terms: [term, term] })({ id: '' })).toBe(false)
    expect(reads).toBe(1)
  })
})
