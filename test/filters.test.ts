import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extendedFilters } from '../src/filters.js'
import {
  createVaultService,
  formatFilter,
  type ItemSummary,
  quoteFilterValue,
} from '../src/index.js'
import type { TestVault } from '../src/testing.js'
import { arbitraryFilter, arbitraryFilterValue } from './support/arbitraries/filters.js'
import { propertyRuns } from './support/arbitraries/property-runs.js'
import { createTestVault } from './support/http/checked-handlers.js'
import { createNotes, recordPages } from './support/http/pagination.js'
import { createRequest, vaultUrl } from './support/http/requests.js'
import { invalid } from './support/service/rejections.js'

const filters = extendedFilters

/** A filter and a check of items that was written without the library. */
interface Checked {
  readonly text: string
  check(item: ItemSummary, ignoreCase: boolean): boolean
}

const fold = (text: string, ignoreCase: boolean): string =>
  ignoreCase ? [...text].map((one) => one.toLowerCase().toUpperCase().toLowerCase()).join('') : text
const texts = fc.constantFrom('', 'a', 'A', 'ab', 'aB', 'ß', 'SS', 'b a', '"', '\\', '😀')

const textAttributes: Readonly<Record<string, (item: ItemSummary) => readonly string[]>> = {
  title: ({ title }) => (title === undefined ? [] : [title]),
  tag: ({ tags }) => tags,
  category: ({ category }) => [category],
  state: ({ state = 'ACTIVE' }) => [state],
  urls: ({ urls }) => urls.map(({ href }) => href),
  lastEditedBy: ({ lastEditedBy }) => [lastEditedBy],
}
const textChecks: Readonly<Record<string, (actual: string, value: string) => boolean>> = {
  eq: (actual, value) => actual === value,
  co: (actual, value) => actual.indexOf(value) >= 0,
  sw: (actual, value) => actual.slice(0, value.length) === value,
  ew: (actual, value) =>
    actual.slice(actual.length - value.length) === value && actual.length >= value.length,
  gt: (actual, value) => actual > value,
  ge: (actual, value) => !(actual < value),
  lt: (actual, value) => actual < value,
  le: (actual, value) => !(actual > value),
}
const numberChecks: Readonly<Record<string, (actual: number, value: number) => boolean>> = {
  eq: (actual, value) => actual === value,
  ne: (actual, value) => actual !== value,
  gt: (actual, value) => actual > value,
  ge: (actual, value) => actual >= value,
  lt: (actual, value) => actual < value,
  le: (actual, value) => actual <= value,
}
const start = Date.UTC(2026, 0, 1)
const values = fc.oneof(
  texts,
  fc.constantFrom('LOGIN', 'login', 'ACTIVE', 'archived', 'https://a.example/'),
)

const textComparison = fc
  .tuple(
    fc.constantFrom(...Object.keys(textAttributes)),
    fc.constantFrom('ne', ...Object.keys(textChecks)),
    values,
  )
  .map(([name, op, value]): Checked => {
    const holds = (item: ItemSummary, ignoreCase: boolean, one = op): boolean =>
      (textAttributes[name]?.(item) ?? []).some((actual) =>
        textChecks[one]?.(fold(actual, ignoreCase), fold(value, ignoreCase)),
      )
    return {
      text: `${name} ${op} ${quoteFilterValue(value)}`,
      check: (item, ignoreCase) =>
        op === 'ne' ? !holds(item, ignoreCase, 'eq') : holds(item, ignoreCase),
    }
  })
const presence = fc.constantFrom(...Object.keys(textAttributes)).map(
  (name): Checked => ({
    text: `${name} pr`,
    check: (item) => (textAttributes[name]?.(item) ?? []).join('') !== '',
  }),
)
const timeComparison = fc
  .tuple(
    fc.constantFrom('createdAt', 'updatedAt'),
    fc.constantFrom(...Object.keys(numberChecks)),
    fc.nat(6),
    fc.constantFrom('Z', '+02:00'),
  )
  .map(([name, op, seconds, offset]): Checked => {
    const value = start + seconds * 1000
    const local = new Date(value + (offset === 'Z' ? 0 : 7_200_000)).toISOString()
    return {
      text: `${name} ${op} "${local.replace('.000Z', offset)}"`,
      check: (item) =>
        numberChecks[op]?.(new Date(item[name as 'createdAt']).getTime(), value) === true,
    }
  })
const otherComparison = fc.oneof(
  fc.tuple(fc.constantFrom(...Object.keys(numberChecks)), fc.integer({ min: -1, max: 4 })).map(
    ([op, value]): Checked => ({
      text: `version ${op} ${value}`,
      check: (item) => numberChecks[op]?.(item.version, value) === true,
    }),
  ),
  fc.tuple(fc.constantFrom('eq', 'ne'), fc.boolean()).map(
    ([op, value]): Checked => ({
      text: `favorite ${op} ${value}`,
      check: (item) => (item.favorite === value) === (op === 'eq'),
    }),
  ),
)
const condition = fc.oneof(
  textComparison,
  textComparison,
  presence,
  timeComparison,
  otherComparison,
)

function combine(inner: fc.Arbitrary<Checked>): fc.Arbitrary<Checked> {
  return fc.oneof(
    inner,
    inner.map(
      ({ text, check }): Checked => ({
        text: `not (${text})`,
        check: (item, ignoreCase) => !check(item, ignoreCase),
      }),
    ),
    fc.tuple(fc.constantFrom('and', 'or'), inner, inner).map(
      ([op, left, right]): Checked => ({
        text: `(${left.text}) ${op} (${right.text})`,
        check: (item, ignoreCase) =>
          op === 'and'
            ? left.check(item, ignoreCase) && right.check(item, ignoreCase)
            : left.check(item, ignoreCase) || right.check(item, ignoreCase),
      }),
    ),
  )
}
const checkedFilter = [1, 2, 3].reduce((inner) => combine(inner), condition)

/** A vault whose service has the extended filters, with items that differ in every attribute. */
async function createVariedVault(): Promise<TestVault> {
  const vault = await createTestVault({ filters })
  const { service, caller, vaultId, clock } = vault
  const urls = [{ href: 'https://a.example/' }]
  const drafts = [
    { title: 'a', tags: ['A', 'ß'], favorite: true },
    { title: 'A', tags: [''], urls },
    { title: 'aB', category: 'LOGIN' as const },
    { title: '', tags: ['b a', 'SS'] },
    { tags: ['"', '\\'] },
    { title: '😀', urls: [...urls, { href: 'https://B.example/a' }] },
  ]
  for (const draft of drafts) {
    const [item] = await createNotes(vault, [draft])
    clock.advance(1000)
    const ref = { vaultId, itemId: String(item?.id) }
    if (draft.title === 'A') await service.setItemState(caller, { ...ref, state: 'ARCHIVED' })
  }
  return vault
}

describe('extendedFilters', () => {
  it('returns the same items as a model that checks each item', async () => {
    const { service, caller, vaultId } = await createVariedVault()
    const all = await service.listItems(caller, { vaultId })
    let matched = 0
    await fc.assert(
      fc.asyncProperty(checkedFilter, fc.boolean(), async ({ text, check }, ignoreCase) => {
        const listed = await service.listItems(caller, { vaultId, filter: text, ignoreCase })
        expect(listed).toEqual(all.filter((item) => check(item, ignoreCase)))
        matched += listed.length
      }),
      { numRuns: propertyRuns() },
    )
    expect(matched).toBeGreaterThan(0)
  })

  it('returns the same items as the contract for a filter of the contract', async () => {
    const vault = await createVariedVault()
    const { caller, vaultId, store } = vault
    const contract = createVaultService({ store })
    const value = fc.oneof(texts, arbitraryFilterValue())
    await fc.assert(
      fc.asyncProperty(arbitraryFilter(value), fc.boolean(), async (parsed, ignoreCase) => {
        const list = { vaultId, filter: formatFilter(parsed), ignoreCase }
        expect(await vault.service.listItems(caller, list)).toEqual(
          await contract.listItems(caller, list),
        )
      }),
      { numRuns: propertyRuns() },
    )
  })

  it.each([
    ['name eq "a" and not (tag pr)', {}, ['a']],
    ['title eq "a" or title eq "b" and favorite eq true', {}, ['a', 'b']],
    ['title eq "a" or favorite eq true', {}, [undefined]],
    ['not (title eq "a")', {}, [undefined]],
    ['title ne "a"', {}, [undefined]],
    ['title sw "a"', {}, [undefined]],
    ['title eq "A" or name eq "a"', {}, ['a']],
    ['title eq "A" or name eq "ß" or name eq "SS"', { ignoreCase: true }, ['a', 'ss']],
    ['title ne "A"', { ignoreCase: true }, [undefined]],
  ])('reads only the records with the index keys of %s with %j', async (filter, options, keys) => {
    const { caller, vaultId, store } = await createTestVault()
    const recording = recordPages(store)
    const service = createVaultService({ store: recording, filters })
    await service.listItems(caller, { vaultId, filter, ...options })
    expect(recording.pages).toEqual(keys.map((indexKey) => ({ limit: 500, indexKey })))
  })

  it('never lists a deleted item', async () => {
    const { service, caller, vaultId, item } = await createTestVault({ filters })
    await service.setItemState(caller, { vaultId, itemId: item.id, state: 'DELETED' })
    expect(await service.listItems(caller, { vaultId, filter: 'state eq "DELETED"' })).toEqual([])
  })

  it('filters and sorts vaults', async () => {
    const { service, caller, clock } = await createTestVault({ filters })
    for (const name of ['beta', 'Alpha', 'alpha']) {
      clock.advance(1000)
      await service.createVault(caller, { name, description: `of ${name}` })
    }
    const listNames = async (input: Parameters<typeof service.listVaults>[1]) =>
      (await service.listVaults(caller, input)).map(({ name }) => name)
    expect(await listNames({ filter: 'name sw "al"' })).toEqual(['alpha'])
    const ignoreCase = true
    const byName = {
      filter: 'title co "A" and description pr',
      ignoreCase,
      sortBy: 'name',
    } as const
    expect((await listNames(byName)).map((name) => name.toLowerCase())).toEqual([
      'alpha',
      'alpha',
      'beta',
    ])
    const newest = { sortBy: 'createdAt', sortOrder: 'descending', limit: 2 } as const
    expect(await listNames(newest)).toEqual(['alpha', 'Alpha'])
    const typed = { filter: 'type eq "USER_CREATED" and version eq 1 and attributeVersion lt 2' }
    expect(await listNames(typed)).toHaveLength(4)
    expect(await listNames({ filter: 'updatedAt le "2026-01-01"' })).toHaveLength(1)
  })
})

describe('extendedFilters: the order of a list', () => {
  const titles = (items: readonly ItemSummary[]) => items.map(({ title }) => title)

  it('is that of the attribute, and of ids where it is equal', async () => {
    const { service, caller, vaultId, item } = await createVariedVault()
    const list = async (input: object) => service.listItems(caller, { vaultId, ...input })
    expect(titles(await list({ sortBy: 'title' }))).toEqual([
      '',
      'A',
      item.title,
      'a',
      'aB',
      '😀',
      undefined,
    ])
    expect(titles(await list({ sortBy: 'title', sortOrder: 'descending', limit: 3 }))).toEqual([
      undefined,
      '😀',
      'aB',
    ])
    const times = (await list({ sortBy: 'createdAt', sortOrder: 'descending' })).map(
      ({ createdAt }) => createdAt,
    )
    expect(times).toEqual(times.toSorted().reverse())
    const byCategory = await list({ sortBy: 'category', sortOrder: 'ascending' })
    const expected = (await list({})).toSorted(
      ({ category: left }, { category: right }) => Number(left > right) - Number(left < right),
    )
    expect(byCategory).toEqual(expected)
  })

  it('applies the filter and the index before the limit', async () => {
    const vault = await createVariedVault()
    const store = recordPages(vault.store)
    const service = createVaultService({ store, filters })
    const list = { vaultId: vault.vaultId, filter: 'title eq "a" or title eq "A"', limit: 1 }
    const sorted = await service.listItems(vault.caller, { ...list, sortBy: 'title' })
    expect(titles(sorted)).toEqual(['A'])
    expect(store.pages.map(({ indexKey }) => indexKey)).toEqual(['a'])
  })

  it('ignores the case of titles when it is ignored', async () => {
    const { service, caller, vaultId } = await createVariedVault()
    const list = { vaultId, filter: 'title sw "A"', ignoreCase: true } as const
    const listed = await service.listItems(caller, {
      ...list,
      sortBy: 'title',
      sortOrder: 'descending',
    })
    expect(titles(listed)[0]).toBe('aB')
    expect(titles(listed).slice(1).sort()).toEqual(['A', 'a'])
  })

  it.each([
    [{ sortBy: 'title', after: 'a'.repeat(26) }, 'after must not be combined with sortBy'],
    [{ sortOrder: 'descending' }, 'sortOrder needs sortBy'],
  ] as const)('is rejected for %j', async (input, message) => {
    const { service, caller, vaultId } = await createTestVault({ filters })
    const list = service.listItems(caller, { vaultId, ...input })
    await expect(list).rejects.toMatchObject(invalid(message))
  })

  it('is rejected for a word of more characters than a filter can have', async () => {
    const { service, caller, vaultId } = await createTestVault({ filters })
    const message = 'filter must have words of at most 250 characters at character 21'
    const list = (ignoreCase: boolean, word: string) =>
      service.listItems(caller, { vaultId, ignoreCase, filter: `tag pr and title sw "${word}"` })
    await expect(list(false, 'ß'.repeat(251))).rejects.toMatchObject(invalid(message))
    expect(await list(false, 'ß'.repeat(250))).toEqual([])
    // Two letters are compared for each of these.
    await expect(list(true, 'ß'.repeat(126))).rejects.toMatchObject(invalid(message))
    expect(await list(true, 'ß'.repeat(125))).toEqual([])
  })

  it('is rejected for an attribute that does not exist', () => {
    expect(() => filters.planItems({ sortBy: 'fields', maxWordLength: 250 })).toThrow(
      'sortBy is not an attribute',
    )
  })
})

describe('extendedFilters over HTTP', () => {
  const query =
    '/items?filter=title+sw+%22EX%22&ignore_case=true&sort_by=title&sort_order=descending'

  it('reads the parameters with the option extensions', async () => {
    const vault = await createTestVault({ filters }, { extensions: true })
    await createNotes(vault, [{ title: 'example 2' }, { title: 'other' }])
    const get = (url: string) => vault.handler(createRequest(vault, 'GET', vaultUrl(vault, url)))
    const response = await get(`${query}&limit=2`)
    const listed: ItemSummary[] = JSON.parse(String(response.body))
    expect(listed.map(({ title }) => title)).toEqual(['example 2', vault.item.title])
    expect(response.headers).not.toHaveProperty('link')
    expect((await get('/items?sort_by=size')).status).toBe(400)
    expect((await get('/items?sort_by=title&sort_order=up')).status).toBe(400)
    expect((await get('/items?ignore_case=1')).status).toBe(400)
  })
})
