import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createCaller,
  createVaultService,
  formatFilter,
  type VaultStore,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { arbitraryFilter } from '../../support/arbitraries/filters.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { createNotes, recordPages } from '../../support/http/pagination.js'
import { findMatches } from '../../support/service/filter-model.js'
import { invalid } from '../../support/service/rejections.js'
import { encryptStore } from '../../support/stores/encrypted-stores.js'

const caller = createCaller('tester', '*')
const longTitle = 'a'.repeat(128)
const titles = [
  'my "quoted" title',
  '\\\\server\\share',
  'C:\\',
  '',
  `${longTitle}1`,
  `${longTitle}2`,
  'ß😀',
]

describe('listItems', () => {
  describe('filter', () => {
    it.each(titles)(
      'returns exactly the items with the title %j between plain quotes',
      async (title) => {
        const vault = await createTestVault()
        await createNotes(vault, [...titles.map((other) => ({ title: other })), {}])
        expect(await titlesOf(vault, `title eq "${title}"`)).toEqual([title])
        expect(await titlesOf(vault, `NAME EQ "${title}"`)).toEqual([title])
        expect(await titlesOf(vault, `tag eq "${title}"`)).toEqual([])
      },
    )

    it('returns items by parts of titles, by tags and by parts of tags', async () => {
      const vault = await createTestVault()
      await createNotes(vault, [
        { title: 'one', tags: ['red', 'blue'] },
        { title: 'two', tags: ['Red'] },
        { tags: ['red'] },
      ])
      expect(await titlesOf(vault, 'title co "o"')).toEqual(['one', 'two'])
      expect(await titlesOf(vault, 'tag eq "red"')).toEqual(['one', undefined])
      expect(await titlesOf(vault, 'tag co "ed"')).toEqual(['one', 'two', undefined])
      expect(await titlesOf(vault, 'tag eq "red" and tag eq "blue"')).toEqual(['one'])
      expect(await titlesOf(vault, 'title eq "ONE"')).toEqual([])
    })

    it.each([undefined, '', ' '])('returns all items when the filter is %j', async (filter) => {
      const { service, vaultId } = await createTestVault()
      expect(await service.listItems(caller, { vaultId, filter })).toHaveLength(1)
    })

    it('rejects an invalid filter', async () => {
      const { service, vaultId } = await createTestVault()
      const list = service.listItems(caller, { vaultId, filter: 'title is "Example"' })
      await expect(list).rejects.toMatchObject(invalid('filter must compare with eq or co'))
    })

    it('yields to the event loop before it parses and compares a large item', async () => {
      const vault = await createTestVault()
      const tags = Array(5).fill('a'.repeat(60_000))
      await createNotes(vault, Array(3).fill({ tags }))
      let turns = 0
      const count = (): void => {
        turns++
        timer = setImmediate(count)
      }
      let timer = setImmediate(count)
      expect(await titlesOf(vault, 'tag co "aaaa"')).toHaveLength(3)
      clearImmediate(timer)
      expect(turns).toBeGreaterThanOrEqual(6)
    })

    it('returns the same items as a model on the full list', async () => {
      const title = fc.constantFrom('', 'a', 'b', 'ab', longTitle, `${longTitle}a`, `${longTitle}b`)
      const note = fc.record(
        { title, tags: fc.array(title, { maxLength: 2 }) },
        { requiredKeys: ['tags'] },
      )
      const notes = fc.array(note, { minLength: 1, maxLength: 12 })
      const limits = fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined })
      await fc.assert(
        fc.asyncProperty(
          notes,
          fc.array(fc.tuple(arbitraryFilter(title), limits, fc.nat(24)), { minLength: 10 }),
          async (drafts, queries) => {
            const vault = await createTestVault()
            await createNotes(vault, drafts)
            const { service, vaultId } = vault
            const items = await service.listItems(caller, { vaultId })
            for (const [filter, limit, start] of queries) {
              const after = items[start]?.id
              const page = { filter: formatFilter(filter), limit, after }
              const matches = findMatches(filter, new Set(items))
              const expected = items.filter((item) => matches.has(item) && item.id > (after ?? ''))
              expect(await service.listItems(caller, { vaultId, ...page })).toStrictEqual(
                expected.slice(0, limit),
              )
            }
          },
        ),
        { numRuns: propertyRuns(500) },
      )
    })
  })

  describe.each<[string, () => VaultStore]>([
    ['a store', createMemoryStore],
    ['an encrypted store', encryptStore],
  ])('filter that requires titles, on %s', (_, createStore) => {
    it.each([
      ['title eq "a"', ['a'], 1],
      ['title eq "a" and tag eq "x"', ['a'], 1],
      ['(title eq "a" or title eq "b") and (tag eq "x" or title co "c")', ['a', 'b'], 2],
      ['title eq "b" or title eq "a" or title eq "b"', ['b', 'a'], 2],
      [`title eq "${longTitle}1" or title eq "${longTitle}2"`, [longTitle], 2],
    ])('reads only the records with the index keys of %s', async (filter, indexKeys, count) => {
      const vault = await createVaultWithNotes(createStore())
      const store = recordPages(vault.store)
      const service = createVaultService({ store })
      const listed = await service.listItems(caller, { vaultId: vault.vaultId, filter })
      expect(listed).toHaveLength(count)
      expect(listed.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).sort())
      expect(store.pages).toStrictEqual(indexKeys.map((indexKey) => ({ limit: 500, indexKey })))
    })

    it('returns an item whose title is cut within a character at 128 characters', async () => {
      const title = `${'a'.repeat(127)}😀`
      const vault = await createVaultWithNotes(createStore())
      await createNotes(vault, [{ title }, { title: 'a'.repeat(127) }])
      expect(await titlesOf(vault, `title eq "${title}"`)).toEqual([title])
    })

    it('reads the items of one title page by page', async () => {
      const vault = await createVaultWithNotes(createStore())
      const notes = await createNotes(vault, Array(501).fill({ title: 'same' }))
      const ids = notes.map(({ id }) => id).sort()
      const store = recordPages(vault.store)
      const list = { vaultId: vault.vaultId, filter: 'title eq "same"', after: ids[0] }
      const listed = await createVaultService({ store }).listItems(caller, list)
      expect(listed.map(({ id }) => id)).toEqual(ids.slice(1))
      expect(store.pages).toStrictEqual([
        { limit: 500, indexKey: 'same', after: ids[0] },
        { limit: 500, indexKey: 'same', after: ids[500] },
      ])
    })
  })

  describe('filter that requires no title', () => {
    it.each(['tag eq "x"', 'title co "a"', 'title eq "a" or tag eq "x"'])(
      'reads every item for %s',
      async (filter) => {
        const vault = await createVaultWithNotes(createMemoryStore())
        const store = recordPages(vault.store)
        const list = { vaultId: vault.vaultId, filter, limit: 1 }
        expect(await createVaultService({ store }).listItems(caller, list)).toHaveLength(1)
        expect(store.pages).toStrictEqual([{ limit: 500 }])
      },
    )
  })
})

/** A vault with the notes a and b with the tag x, c, d, and two with long titles. */
async function createVaultWithNotes(store: VaultStore): Promise<TestVault> {
  const vault = await createTestVault({ store })
  await createNotes(vault, [
    { title: 'a', tags: ['x'] },
    { title: 'b', tags: ['x'] },
    { title: 'c' },
    { title: 'd' },
    { title: `${longTitle}1` },
    { title: `${longTitle}2` },
  ])
  return vault
}

/** Titles of notes, the untitled last; the test vault's own item is left out. */
async function titlesOf({ service, vaultId }: TestVault, filter: string) {
  const listed = await service.listItems(caller, { vaultId, filter })
  const found = listed.filter(({ category }) => category === 'SECURE_NOTE')
  return found.map(({ title }) => title).sort()
}
