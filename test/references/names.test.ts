import { createReferenceResolver } from 'cofferkit/references'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldAsciiCase } from '../../src/base/fold-case.js'
import { createVaultService, type VaultService, type VaultStore } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createTestVault, type TestVault } from '../../src/testing.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { createNotes, recordPages } from '../support/http/pagination.js'
import { encryptStore } from '../support/stores/encrypted-stores.js'

/** Creates items with these titles, whose field `id` has the number of the title as its value. */
async function createTitles(vault: TestVault, titles: readonly string[]): Promise<void> {
  await createNotes(
    vault,
    titles.map((title, index) => ({ title, fields: [{ id: 'id', value: String(index) }] })),
  )
}

/** Returns the value, `missing` or `ambiguous`. */
async function resolve({ service, caller }: TestVault, item: string): Promise<string> {
  const resolver = createReferenceResolver(service, caller)
  return resolver.resolve(`op://Test/${item}/id`).catch((error: Error) => {
    if (error.message.endsWith('item not found')) return 'missing'
    if (error.message.includes('is ambiguous')) return 'ambiguous'
    throw error
  })
}

describe.each<[string, () => VaultStore]>([
  ['a store', createMemoryStore],
  ['an encrypted store', encryptStore],
])('createReferenceResolver: names, on %s', (_, createStore) => {
  it.each([
    ['op://Test/Example/pin', '1234', ['test', 'example']],
    ['op://TEST/eXample/pin', '1234', ['test', 'example']],
    ['op://Test/Missing/pin', undefined, ['test', 'missing']],
    ['op://Missing/Example/pin', undefined, ['missing']],
  ])('reads only the records with the index keys of the names in %s', async (text, value, keys) => {
    const { store: inner, caller } = await createTestVault({ store: createStore() })
    const store = recordPages(inner)
    const resolver = createReferenceResolver(createVaultService({ store }), caller)
    expect(await resolver.resolve(text).catch(() => undefined)).toBe(value)
    expect(store.pages.map(({ indexKey }) => indexKey)).toEqual(keys)
  })
})

describe('createReferenceResolver: names', () => {
  it.each([
    ['Mail', '0'],
    ['mail', '1'],
    ['MAIL', 'ambiguous'],
    ['Bank', 'ambiguous'],
    ['bank', 'ambiguous'],
    ['PHONE', '4'],
    ['token', 'missing'],
    ['strasse', 'missing'],
    ['I', 'missing'],
    ['nothing', 'missing'],
  ])(
    'prefers the exact name, and ignores the case of the letters A to Z only: %s',
    async (name, value) => {
      const vault = await createTestVault()
      const titles = ['Mail', 'mail', 'Bank', 'Bank', 'phone', 'to\u212aen', 'Straße', '\u0131']
      await createTitles(vault, titles)
      expect(await resolve(vault, name)).toBe(value)
    },
  )

  it('compares a title in full when its index key is cut', async () => {
    const vault = await createTestVault()
    const start = 'Long '.repeat(30)
    await createTitles(vault, [`${start}A`, `${start}b`, `${start}B`, start])
    expect(await resolve(vault, `${start}a`)).toBe('0')
    expect(await resolve(vault, `${start.toUpperCase()}A`)).toBe('0')
    expect(await resolve(vault, `${start.toUpperCase()}B`)).toBe('ambiguous')
    expect(await resolve(vault, `${start}c`)).toBe('missing')
    expect(await resolve(vault, start.toLowerCase())).toBe('3')
  })

  it('stops reading when a name was found twice', async () => {
    const vault = await createTestVault()
    await createTitles(vault, Array<string>(2200).fill('same'))
    const store = recordPages(vault.store)
    const service = createVaultService({ store })
    expect(await resolve({ ...vault, service }, 'same')).toBe('ambiguous')
    // One page of vaults, and two of the items.
    expect(store.pages).toHaveLength(3)
  })

  it('reads a name once for all of its spellings', async () => {
    const vault = await createTestVault()
    await createTitles(vault, ['Mail', 'mAIL'])
    const store = recordPages(vault.store)
    const { resolveAll } = createReferenceResolver(createVaultService({ store }), vault.caller)
    const names = ['Mail', 'mAIL', 'Mail']
    expect(await resolveAll(names.map((name) => `op://Test/${name}/id`))).toEqual(['0', '1', '0'])
    expect(store.pages.map(({ indexKey }) => indexKey)).toEqual(['test', 'mail'])
  })

  it('reads the whole list for another case when the vault is one of a server', async () => {
    const { service, caller } = await createTestVault()
    const filters: (string | undefined)[] = []
    const bound = service.as(caller)
    const server: Pick<VaultService, 'as' | 'now'> = {
      now: service.now,
      as: () => ({
        ...bound,
        getItem: bound.getItem,
        // A server of 1Password knows no more of a list than its filter.
        listVaults: async ({ filter } = {}, options) => {
          filters.push(filter)
          return bound.listVaults({ filter }, options)
        },
        listItems: async ({ vaultId, filter }, options) => {
          filters.push(filter)
          return bound.listItems({ vaultId, filter }, options)
        },
      }),
    }
    const resolver = createReferenceResolver(server as VaultService, caller)
    expect(await resolver.resolve('op://Test/EXAMPLE/pin')).toBe('1234')
    expect(filters).toEqual(['title eq "Test"', 'title eq "EXAMPLE"', undefined])
  })

  it('finds what a model finds that compares every title', async () => {
    const pieces = [
      'a',
      'A',
      'b',
      'B',
      'k',
      'K',
      '\u212a',
      'ss',
      'ß',
      'SS',
      'i',
      'I',
      'ı',
      '_',
      ' ',
    ]
    const text = (unit: readonly string[]) =>
      fc.string({ unit: fc.constantFrom(...unit), minLength: 1, maxLength: 3 })
    const start = fc.constantFrom('', '', 'x'.repeat(127), 'X'.repeat(128), 'x'.repeat(249))
    const name = (unit: readonly string[]) =>
      fc.tuple(start, text(unit)).map((parts) => parts.join(''))
    const ascii = pieces.filter((piece) => /^[ -~]+$/.test(piece))
    const names = fc.array(name(ascii), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(fc.array(name(pieces), { maxLength: 12 }), names, async (titles, wanted) => {
        const vault = await createTestVault()
        await createTitles(vault, titles)
        const model = (item: string): string => {
          const numbers = [...titles.keys()]
          const exact = numbers.filter((index) => titles[index] === item)
          const folded = numbers.filter(
            (index) => foldAsciiCase(titles[index] ?? '') === foldAsciiCase(item),
          )
          const found = exact.length > 0 ? exact : folded
          return found.length > 1 ? 'ambiguous' : String(found[0] ?? 'missing')
        }
        for (const item of wanted) expect(await resolve(vault, item)).toBe(model(item))
        const found = wanted.filter((item) => /\d/.test(model(item)))
        const { resolveAll } = createReferenceResolver(vault.service, vault.caller)
        const values = await resolveAll(found.map((item) => `op://Test/${item}/id`))
        expect(values).toEqual(found.map(model))
      }),
      { numRuns: propertyRuns() },
    )
  })
})
