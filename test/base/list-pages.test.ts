import { describe, expect, it } from 'vitest'
import { listPages } from '../../src/base/list-pages.js'

describe('listPages', () => {
  it.each([0, 1, 2, 3, 4, 5])('yields %i elements in pages of two', async (count) => {
    const all = Array.from({ length: count }, (_, index) => ({ id: `${index}` }))
    const calls: (string | undefined)[] = []
    const pages = listPages(async ({ limit, after }) => {
      calls.push(after)
      return all.filter(({ id }) => after === undefined || id > after).slice(0, limit)
    }, 2)
    const found: { readonly id: string }[] = []
    for await (const page of pages) found.push(...page)
    expect(found).toEqual(all)
    expect(calls).toEqual([undefined, '1', '3'].slice(0, Math.floor(count / 2) + 1))
  })
})
