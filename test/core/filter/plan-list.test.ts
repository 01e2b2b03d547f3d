import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { connectDialect } from '../../../src/dialects/connect.js'
import {
  createCaller,
  createVaultService,
  type ItemSummary,
  quoteFilterValue,
} from '../../../src/index.js'
import type { TestVault } from '../../../src/testing.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { createTestVault } from '../../support/http/checked-handlers.js'
import { createNotes, recordPages } from '../../support/http/pagination.js'
import { createRequest, vaultUrl } from '../../support/http/requests.js'
import { invalid } from '../../support/service/rejections.js'
import { createRecordingStore } from '../../support/stores/stores.js'

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

/** A vault with items that differ in every attribute. */
async function createVariedVault(): Promise<TestVault> {
  const vault = await createTestVault()
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

describe('planList', () => {
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
    const service = createVaultService({ store: recording })
    await service.listItems(caller, { vaultId, filter, ...options })
    expect(recording.pages).toEqual(keys.map((indexKey) => ({ limit: 500, indexKey })))
  })

  it.each([
    ['title eq "STRASSE"', ['Straße', 'STRASSE'], ['STRASSE']],
    ['title co "SSE"', ['Straße', 'STRASSE'], ['STRASSE']],
    ['tag eq "X" and title eq "strasse"', ['STRASSE'], []],
    ['tag co "Y"', [], []],
    ['title eq "stras"', [], []],
  ])('finds items in any case for %s when case is ignored', async (filter, titles, exactTitles) => {
    const vault = await createTestVault()
    await createNotes(vault, [{ title: 'Straße' }, { title: 'STRASSE', tags: ['x'] }])
    const list = { vaultId: vault.vaultId, filter, ignoreCase: true }
    const found = await vault.service.listItems(vault.caller, list)
    expect(found.map(({ title }) => title).sort()).toEqual(titles.toSorted())
    const exact = await vault.service.listItems(vault.caller, { ...list, ignoreCase: false })
    expect(exact.map(({ title }) => title)).toEqual(exactTitles)
  })

  it('finds vaults in any case when case is ignored', async () => {
    const { service, caller, vaultId } = await createTestVault()
    await service.createVault(caller, { name: 'tEST 2' })
    const ids = async (filter: string, ignoreCase: boolean) =>
      (await service.listVaults(caller, { filter, ignoreCase })).map(({ id }) => id)
    expect(await ids('name eq "tesT"', true)).toEqual([vaultId])
    expect(await ids('name eq "tesT"', false)).toEqual([])
    expect(await ids('name co "TEST"', true)).toHaveLength(2)
  })

  it.each([
    ['the contract', undefined],
    ['connect', connectDialect],
  ])('matches an id by eq on a title or a name in the dialect of %s', async (_, dialect) => {
    const store = createRecordingStore()
    const options = { store, ...(dialect && { dialect }) }
    const { service, caller, vaultId, item } = await createTestVault(options)
    const titled = { category: 'LOGIN', vault: { id: vaultId }, title: item.id } as const
    const other = await service.createItem(caller, { vaultId, item: titled })
    const itemsOf = async (filter: string, page = {}): Promise<string[]> =>
      (await service.listItems(caller, { vaultId, filter, ...page })).map(({ id }) => id)
    const both = [item.id, other.id].sort()
    store.calls.length = 0
    expect(await itemsOf(`title eq "${item.id}"`)).toEqual(both)
    expect(store.calls).toEqual(['records.get', 'records.list', 'records.get'])
    expect(await itemsOf(`title eq "${item.id}"`, { limit: 1 })).toEqual(both.slice(0, 1))
    expect(await itemsOf(`title eq "${item.id}"`, { after: both[0] })).toEqual(both.slice(1))
    expect(await itemsOf(`name eq "${other.id}"`)).toEqual([other.id])
    expect(await itemsOf(`title eq "${other.id}" and tag eq "x"`)).toEqual([])
    expect(await itemsOf(`title co "${other.id}"`)).toEqual([])
    expect(await itemsOf(`tag eq "${other.id}"`)).toEqual([])
    const vaults = await service.listVaults(caller, { filter: `name eq "${vaultId}"` })
    expect(vaults.map(({ id }) => id)).toEqual([vaultId])
    const stranger = createCaller({ id: 'stranger', vaults: {} })
    expect(await service.listVaults(stranger, { filter: `name eq "${vaultId}"` })).toEqual([])
    const missing = `name eq "${'m'.repeat(26)}"`
    expect(await service.listVaults(caller, { filter: missing })).toEqual([])
  })

  it('matches an id in any case where case is ignored', async () => {
    const { service, caller, vaultId, item } = await createTestVault()
    const filter = `title eq "${item.id.toUpperCase()}"`
    const found = await service.listItems(caller, { vaultId, filter, ignoreCase: true })
    expect(found.map(({ id }) => id)).toEqual([item.id])
    expect(await service.listItems(caller, { vaultId, filter })).toEqual([])
  })

  it('never lists a deleted item', async () => {
    const { service, caller, vaultId, item } = await createTestVault()
    await service.setItemState(caller, { vaultId, itemId: item.id, state: 'DELETED' })
    expect(await service.listItems(caller, { vaultId, filter: 'state eq "DELETED"' })).toEqual([])
  })

  it('filters and sorts vaults', async () => {
    const { service, caller, clock } = await createTestVault()
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
    expect(await listNames({ filter: 'not (description pr)' })).toHaveLength(1)
    const newest = { sortBy: 'createdAt', sortOrder: 'descending', limit: 2 } as const
    expect(await listNames(newest)).toEqual(['alpha', 'Alpha'])
    const typed = { filter: 'type eq "USER_CREATED" and version eq 1 and attributeVersion lt 2' }
    expect(await listNames(typed)).toHaveLength(4)
    expect(await listNames({ filter: 'updatedAt le "2026-01-01"' })).toHaveLength(1)
  })
})

describe('planList: the order of a list', () => {
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
    const service = createVaultService({ store })
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
    const { service, caller, vaultId } = await createTestVault()
    const list = service.listItems(caller, { vaultId, ...input })
    await expect(list).rejects.toMatchObject(invalid(message))
  })

  it('is rejected for a word of more characters than a filter can have', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const message = 'filter must have words of at most 250 characters at character 21'
    const list = (ignoreCase: boolean, word: string) =>
      service.listItems(caller, { vaultId, ignoreCase, filter: `tag pr and title sw "${word}"` })
    await expect(list(false, 'ß'.repeat(251))).rejects.toMatchObject(invalid(message))
    expect(await list(false, 'ß'.repeat(250))).toEqual([])
    // Two letters are compared for each of these.
    await expect(list(true, 'ß'.repeat(126))).rejects.toMatchObject(invalid(message))
    expect(await list(true, 'ß'.repeat(125))).toEqual([])
  })

  it.each(['fields', 'value', 'tags', 'constructor'])('is rejected by %s', async (sortBy) => {
    const { service, caller, vaultId } = await createTestVault()
    const error = invalid(expect.stringMatching(/^sortBy must be one of /))
    const query = { sortBy } as never
    await expect(
      service.listItems(caller, Object.assign({ vaultId }, query)),
    ).rejects.toMatchObject(error)
    await expect(service.listVaults(caller, query)).rejects.toMatchObject(error)
  })
})

describe('planList over HTTP', () => {
  const query =
    '/items?filter=title+sw+%22EX%22&ignore_case=true&sort_by=title&sort_order=descending'

  it('reads the parameters with the option extensions', async () => {
    const vault = await createTestVault({}, { extensions: true })
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

  it('reads only the filter without the option extensions', async () => {
    const vault = await createTestVault()
    await createNotes(vault, [{ title: 'example 2' }, { title: 'EXTRA' }])
    const get = (url: string) => vault.handler(createRequest(vault, 'GET', vaultUrl(vault, url)))
    const response = await get(`${query}&limit=1&after=x`)
    expect(response.status).toBe(200)
    expect(JSON.parse(String(response.body))).toMatchObject([{ title: 'EXTRA' }])
    expect((await get('/items?sort_by=size&ignore_case=1&sort_order=up')).status).toBe(200)
  })
})
