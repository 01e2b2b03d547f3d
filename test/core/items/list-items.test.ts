import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createCaller,
  createVaultService,
  type ListItemsInput,
  type VaultStore,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { arbitraryFilter } from '../../support/arbitraries/filters.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { measureCpuTime } from '../../support/cpu-time.js'
import { noteDraft } from '../../support/drafts.js'
import { createNotes, recordPages, setState } from '../../support/http/pagination.js'
import { itemRef } from '../../support/items/refs.js'
import { findMatches } from '../../support/service/filter-model.js'
import { formatFilter } from '../../support/service/format-filter.js'
import { invalid, notFound } from '../../support/service/rejections.js'
import { encryptStore } from '../../support/stores/encrypted-stores.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const caller = createCaller({ id: 'tester', vaults: '*' })
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
  it('returns the newest versions in the given vault, without deleted items', async () => {
    const { service, vaultId, item } = await createTestVault()
    const { id: other } = await service.createVault(caller, { name: 'Other' })
    expect(await service.listItems(caller, { vaultId: other })).toEqual([])
    await service.createItem(caller, { vaultId: other, item: noteDraft(other) })
    const added = await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    await service.replaceItem(caller, {
      vaultId,
      itemId: added.id,
      item: noteDraft(vaultId, { title: 'Changed' }),
    })
    await service.deleteItem(caller, { vaultId, itemId: item.id })
    const listed = await service.listItems(caller, { vaultId })
    expect(listed).toMatchObject([{ id: added.id, title: 'Changed', version: 2 }])
  })

  it('omits items in the state DELETED, but not in the state ARCHIVED', async () => {
    const vault = await createTestVault()
    const [first, second, third] = (await createNotes(vault, Array(3).fill({ title: 'x' })))
      .map(({ id }) => id)
      .sort()
    await vault.service.deleteItem(caller, itemRef(vault))
    await setState(vault, second, 'DELETED')
    await setState(vault, third, 'ARCHIVED')
    for (const input of [{}, { limit: 2 }, { filter: 'title eq "x"' }, { filter: 'title co ""' }])
      expect(await idsOf(vault, input)).toEqual([first, third])
    expect(await idsOf(vault, { limit: 1, after: first ?? '' })).toEqual([third])
  })

  it.each([{ filter: '(' }, { limit: 0 }, { after: 'x' }])(
    'rejects %j (400) before it reads the vault (404)',
    async (input) => {
      const store = createRecordingStore()
      const service = createVaultService({ store })
      const vaultId = 'n'.repeat(26)
      const list = (page: object): Promise<unknown> =>
        service.listItems(caller, { vaultId, ...page })
      await expect(list(input)).rejects.toMatchObject(invalid())
      expect(store.calls).toEqual([])
      await expect(list({})).rejects.toMatchObject(notFound('vault', vaultId))
    },
  )

  it('returns the same items as a model on the full list', async () => {
    const title = fc.constantFrom(
      ...['', 'a', 'A', 'b', 'ab', 'ß😀'],
      ...[longTitle, `${longTitle}a`, `${longTitle}b`],
    )
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
      { numRuns: propertyRuns(50) },
    )
  })

  describe('pages', () => {
    it.each([
      [499, 1],
      [500, 2],
    ])('reads 500 records at a time: %i items in %i pages', async (count, pages) => {
      const vault = await createTestVault()
      await vault.service.deleteItem(caller, itemRef(vault))
      await createNotes(vault, Array(count).fill({}))
      const store = recordPages(vault.store)
      const ids = await idsOf({ ...vault, service: createVaultService({ store }) }, {})
      expect(ids).toHaveLength(count)
      expect(ids).toEqual(ids.toSorted())
      expect(store.pages).toStrictEqual(
        [{ limit: 500 }, { limit: 500, after: ids[499] }].slice(0, pages),
      )
    })

    it('returns `limit` items after the given id and reads no more', async () => {
      const vault = await createTestVault()
      await createNotes(vault, Array(11).fill({}))
      const all = await idsOf(vault, {})
      const store = recordPages(vault.store)
      const service = createVaultService({ store })
      const pages = [await idsOf({ ...vault, service }, { limit: 5 })]
      for (let last = pages[0]?.at(-1); last !== undefined; last = pages.at(-1)?.[4])
        pages.push(await idsOf({ ...vault, service }, { limit: 5, after: last }))
      expect(pages).toEqual([all.slice(0, 5), all.slice(5, 10), all.slice(10)])
      expect(store.pages).toStrictEqual([
        { limit: 5 },
        { limit: 5, after: all[4] },
        { limit: 5, after: all[9] },
      ])
    })

    it('continues after an item that was deleted', async () => {
      const vault = await createTestVault()
      await createNotes(vault, [{}, {}, {}])
      const [first, second = '', ...rest] = await idsOf(vault, {})
      await vault.service.deleteItem(caller, { vaultId: vault.vaultId, itemId: second })
      expect(await idsOf(vault, { after: second })).toEqual(rest)
      expect(await idsOf(vault, { limit: 1 })).toEqual([first])
    })

    it('returns up to 1,000 items, read 500 at a time', async () => {
      const vault = await createTestVault()
      await createNotes(vault, Array(1001).fill({}))
      const store = recordPages(vault.store)
      const service = createVaultService({ store })
      expect(await idsOf({ ...vault, service }, { limit: 1000 })).toHaveLength(1000)
      expect(store.pages.map(({ limit }) => limit)).toEqual([500, 500])
    })
  })

  describe('filter', () => {
    it('returns exactly the items with the title between plain quotes', async () => {
      const vault = await createTestVault()
      await createNotes(vault, [...titles.map((title) => ({ title })), {}])
      for (const title of titles) {
        expect(await titlesOf(vault, `title eq "${title}"`)).toEqual([title])
        expect(await titlesOf(vault, `NAME EQ "${title}"`)).toEqual([title])
        expect(await titlesOf(vault, `tag eq "${title}"`)).toEqual([])
      }
    })

    it.each([undefined, '', ' '])('returns all items when the filter is %j', async (filter) => {
      const { service, vaultId } = await createTestVault()
      expect(await service.listItems(caller, { vaultId, filter })).toHaveLength(1)
    })

    it.each([
      [1950, 1],
      [125, 15],
    ])('costs no more CPU for one long word than for many: %d', async (half, count) => {
      const vault = await createTestVault()
      const tags = Array(20).fill('a'.repeat(65_536))
      await createNotes(vault, Array(4).fill({ tags }))
      const side = 'a'.repeat(half)
      const filter = Array(count)
        .fill(`tag co "${side}b${side.slice(1)}"`)
        .join(' or ')
      const cpuTime = measureCpuTime()
      const { service, vaultId } = vault
      await service.listItems(caller, { vaultId, filter }).catch(() => {})
      // One word of 3,900 characters took 3,500 ms, fifteen of 250 take 100 ms.
      expect(cpuTime()).toBeLessThan(1200)
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
  })

  describe.each<[string, () => VaultStore]>([
    ['a store', createMemoryStore],
    ['an encrypted store', encryptStore],
  ])('filter that requires titles, on %s', (_, createStore) => {
    it.each([
      ['(title eq "a" or title eq "b") and (tag eq "x" or title co "c")', ['a', 'b'], 2],
      ['title eq "b" or title eq "a" or title eq "b"', ['b', 'a'], 2],
      [`title eq "${longTitle}1" or title eq "${longTitle}2"`, [longTitle], 2],
      ['title eq "B" or title eq "C"', ['b', 'c'], 0],
      [`title eq "${longTitle.toUpperCase()}1"`, [longTitle], 0],
      ['title eq "missing"', ['missing'], 0],
    ])('reads only the records with the index keys of %s', async (filter, indexKeys, count) => {
      const vault = await createVaultWithNotes(createStore())
      const store = recordPages(vault.store)
      const service = createVaultService({ store })
      const listed = await service.listItems(caller, { vaultId: vault.vaultId, filter })
      expect(listed).toHaveLength(count)
      expect(listed.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).sort())
      expect(store.pages).toStrictEqual(indexKeys.map((indexKey) => ({ limit: 500, indexKey })))
    })

    it.each([
      ['title eq "B" or title eq "A"', ['b', 'a'], 2],
      [`title eq "${longTitle.toUpperCase()}1"`, [longTitle], 1],
      ['title eq "missing"', ['missing'], 0],
    ])(
      'reads only the records with the index keys of %s when case is ignored',
      async (filter, indexKeys, count) => {
        const vault = await createVaultWithNotes(createStore())
        const store = recordPages(vault.store)
        const list = { vaultId: vault.vaultId, filter, ignoreCase: true }
        expect(await createVaultService({ store }).listItems(caller, list)).toHaveLength(count)
        expect(store.pages).toStrictEqual(indexKeys.map((indexKey) => ({ limit: 500, indexKey })))
      },
    )

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
      const list = { filter: 'title eq "same"', after: ids[0] }
      const service = createVaultService({ store })
      expect(await idsOf({ ...vault, service }, list)).toEqual(ids.slice(1))
      expect(store.pages).toStrictEqual([
        { limit: 500, indexKey: 'same', after: ids[0] },
        { limit: 500, indexKey: 'same', after: ids[500] },
      ])
    })
  })

  it('reads every item for a filter that requires no title, whatever the limit is', async () => {
    const vault = await createVaultWithNotes(createMemoryStore())
    const store = recordPages(vault.store)
    const list = { vaultId: vault.vaultId, filter: 'title eq "a" or tag eq "x"', limit: 1 }
    expect(await createVaultService({ store }).listItems(caller, list)).toHaveLength(1)
    expect(store.pages).toStrictEqual([{ limit: 500 }])
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

async function idsOf(
  { service, vaultId }: Pick<TestVault, 'service' | 'vaultId'>,
  page: Omit<ListItemsInput, 'vaultId'>,
): Promise<string[]> {
  return (await service.listItems(caller, { vaultId, ...page })).map(({ id }) => id)
}

/** Titles of notes, the untitled last; the test vault's own item is left out. */
async function titlesOf({ service, vaultId }: TestVault, filter: string) {
  const listed = await service.listItems(caller, { vaultId, filter })
  const found = listed.filter(({ category }) => category === 'SECURE_NOTE')
  return found.map(({ title }) => title).sort()
}
