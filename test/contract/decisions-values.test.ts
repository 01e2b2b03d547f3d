import { describe, expect, it, vi } from 'vitest'
import { createVaultService } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { compositionProbabilities, excess, tally } from '../support/arbitraries/value-statistics.js'
import {
  type ContractClient,
  contractClient,
  expectAccepted,
  expectError,
  expectRejected,
  fieldIn,
} from './support/contract-client.js'

const digits = '0123456789'
const symbols = '!@.-_*'
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const withField = (attributes: object): object => ({
  fields: [{ id: 'f', type: 'CONCEALED', ...attributes }],
})
const generatedField = (recipe?: object): object => withField({ generate: true, recipe })

/** The field that is returned for an item with one such field. */
async function createdField(
  { create }: ContractClient,
  attributes: object,
): Promise<Record<string, unknown>> {
  return { ...fieldIn((await create(withField(attributes))).json, 'f') }
}

/** Values that one recipe generates. */
async function generateValues(
  client: ContractClient,
  recipe: object,
  count: number,
): Promise<string[]> {
  const values: string[] = []
  while (values.length < count) {
    const fields = Array.from({ length: 500 }, (_, index) => ({
      ...{ id: `${index}`, type: 'CONCEALED', generate: true, recipe },
    }))
    const { json } = await client.create({ fields })
    for (const { value } of Object(json).fields) values.push(value)
  }
  return values
}

describe('decisions on generated values', () => {
  it('values-1 generate sets a value that is absent, null or empty', async () => {
    const client = await contractClient()
    for (const value of [undefined, null, ''])
      expect(await createdField(client, { generate: true, value })).toMatchObject({
        value: expect.stringMatching(/^.{32}$/),
      })
    for (const value of ['mine', ' ', '0'])
      expect(await createdField(client, { generate: true, value })).toMatchObject({ value })
    expect(await createdField(client, { generate: false, value: '' })).toMatchObject({ value: '' })
  })

  it('values-2 LETTERS are A-Z and a-z, DIGITS 0-9, SYMBOLS !@.-_*', async () => {
    const client = await contractClient()
    const alphabets = { LETTERS: letters, DIGITS: digits, SYMBOLS: symbols }
    for (const [name, alphabet] of Object.entries(alphabets)) {
      const values = await generateValues(client, { characterSets: [name], length: 64 }, 500)
      expect([...new Set(values.join(''))].sort()).toEqual([...alphabet].sort())
    }
  })

  it('values-3 without sets or a recipe all three sets and 32 characters are used', async () => {
    const client = await contractClient()
    const all = [...letters, ...digits, ...symbols].sort()
    for (const recipe of [{}, { characterSets: [] }, undefined]) {
      const values = await generateValues(client, Object(recipe), 500)
      expect([...new Set(values.join(''))].sort()).toEqual(all)
      expect(new Set(values.map((value) => value.length))).toEqual(new Set([32]))
    }
    expect((await createdField(client, { generate: true }))['value']).toHaveLength(32)
  })

  it('values-4 excluded characters are removed, empty sets dropped, and 2 characters must remain', async () => {
    const client = await contractClient()
    const all = digits + symbols + letters
    const without = (...kept: string[]): string =>
      [...all].filter((character) => !kept.includes(character)).join('')
    const recipe = { excludeCharacters: `${without('A', '7')}é🔑`, length: 20 }
    const [item] = await expectAccepted(client, generatedField(recipe))
    expect(fieldIn(item, 'f')?.['value']).toMatch(/^(?=.*A)(?=.*7)[A7]{20}$/)
    const message = 'fields/0/recipe/excludeCharacters must leave at least two characters'
    const tooMany = [{ excludeCharacters: all }, { excludeCharacters: without('A') }]
    const one = { characterSets: ['DIGITS'], excludeCharacters: digits.slice(1) }
    await expectRejected(client, message, ...[...tooMany, one].map(generatedField))
  })

  it('values-5 each remaining set occurs if the length allows it', async () => {
    const client = await contractClient()
    const everySet = /^(?=.*[A-Za-z])(?=.*\d)(?=.*[!@.\-_*])/
    const long = await generateValues(client, { length: 3 }, 1000)
    expect(long.filter((value) => !everySet.test(value))).toEqual([])
    const kinds = new Set(
      (await generateValues(client, { length: 2 }, 1000)).map((value) =>
        /^[A-Za-z]{2}$/.test(value),
      ),
    )
    expect(kinds).toEqual(new Set([true, false]))
  })

  it('values-6 every allowed string is equally likely', async () => {
    const client = await contractClient()
    const excludeCharacters = symbols + letters.slice(1) + digits.slice(3)
    const space = { sets: ['A', '012'], length: 4 }
    const values = await generateValues(client, { excludeCharacters, length: 4 }, 4000)
    const compositions = values.map(
      (value) => `${value.replace(/\d/g, '').length},${value.replace(/A/g, '').length}`,
    )
    expect(excess(tally(compositions), compositionProbabilities(space), 4000)).toBeLessThan(1)
    const strings = tally(values)
    const each = new Map([...strings.keys()].map((value) => [value, 1 / 174]))
    expect(each.size).toBe(174)
    expect(excess(strings, each, 4000)).toBeLessThan(1)

    const rare = { excludeCharacters: symbols.slice(1) + digits.slice(1), length: 3 }
    const permutations = tally(await generateValues(client, rare, 6000))
    expect(permutations.size).toBe(312)
    const alike = new Map([...permutations.keys()].map((value) => [value, 1 / 312]))
    expect(excess(permutations, alike, 6000)).toBeLessThan(1)
  })

  it('values-7 excess bytes are redrawn, and so are strings without every set', async () => {
    const draws = [[250, 0], [1], [255, 251], [26, 52]]
    let isScripted = false
    const randomBytes = (length: number): Uint8Array => {
      if (!isScripted || length === 16) return crypto.getRandomValues(new Uint8Array(length))
      return Uint8Array.from(draws.shift() ?? [])
    }
    const client = await contractClient({ randomBytes })
    isScripted = true
    const recipe = { characterSets: ['LETTERS', 'DIGITS'], length: 2 }
    const { value } = await createdField(client, { generate: true, recipe })
    // 250 is rejected; 0 and 1 make "AB", which has no digit and is drawn again as a whole.
    expect([value, draws]).toEqual(['a0', []])

    const platform = vi.spyOn(crypto, 'getRandomValues')
    const service = createVaultService({ store: createMemoryStore() })
    await service.createVault(client.vault.caller, { name: 'New' })
    expect(platform).toHaveBeenCalled()
    platform.mockRestore()
  })

  it('values-8 100,000 draws without a value are 500', async () => {
    let calls = 0
    const randomBytes = (length: number): Uint8Array => {
      if (length === 16) return crypto.getRandomValues(new Uint8Array(16))
      calls += 1
      return new Uint8Array(length)
    }
    const { create } = await contractClient({ randomBytes })
    expectError(await create(generatedField()), 500, /./)
    expect(calls).toBe(100_000)
    const { json } = await create(generatedField({ length: 3, characterSets: ['LETTERS'] }))
    expect(fieldIn(json, 'f')).toHaveProperty('value', 'AAA')
  })

  it('values-9 entropy is the exact log2 of the number of values, for PASSWORD only', async () => {
    const client = await contractClient()
    const LD = ['LETTERS', 'DIGITS']
    const figures: readonly (readonly [object, number])[] = [
      [{ length: 1 }, 6.0874628413],
      [{ length: 2 }, 12.1749256825],
      [{ length: 3 }, 14.1922928145],
      [{ length: 4 }, 21.2797556557],
      [{ length: 8 }, 47.2225844049],
      [{ length: 16 }, 96.8994010825],
      [{ length: 20 }, 121.4372280457],
      [{ length: 32 }, 194.7126098839],
      [{ length: 64 }, 389.5936562838],
      [{ characterSets: LD }, 190.5290876081],
      [{ characterSets: ['LETTERS', 'SYMBOLS'] }, 187.4109015799],
      [{ characterSets: ['DIGITS', 'SYMBOLS'] }, 127.999999576],
      [{ characterSets: ['LETTERS'] }, 182.4140709805],
      [{ characterSets: ['DIGITS'] }, 106.3016990364],
      [{ characterSets: ['SYMBOLS'] }, 82.7188000231],
      [{ characterSets: LD, length: 55, excludeCharacters: 'abc1' }, 322.1888193878],
      [{ excludeCharacters: '0O1Il5S' }, 189.7002070567],
    ]
    for (const [recipe, bits] of figures) {
      const { entropy } = await createdField(client, {
        purpose: 'PASSWORD',
        generate: true,
        recipe,
      })
      expect(entropy).toBeCloseTo(bits, 9)
    }
    for (const purpose of [undefined, '', 'USERNAME', 'NOTES'])
      expect(await createdField(client, { purpose, generate: true })).not.toHaveProperty('entropy')
  })

  it('values-10 entropy is removed when the value changes, and not set for a sent value', async () => {
    const client = await contractClient()
    const password = { purpose: 'PASSWORD', generate: true }
    const made = fieldIn((await client.replace(withField(password))).json, 'f')
    const { label: _, ...sent } = { ...made }
    const same = fieldIn((await client.replace({ fields: [sent] })).json, 'f')
    expect(same).toStrictEqual(made)
    const path = '/fields/f/value'
    const changed = await client.patch([{ op: 'replace', path, value: 'mine' }])
    expect(fieldIn(changed.json, 'f')).not.toHaveProperty('entropy')
    const back = await client.patch([{ op: 'replace', path, value: made?.['value'] }])
    expect(fieldIn(back.json, 'f')).not.toHaveProperty('entropy')
    const supplied = await createdField(client, { purpose: 'PASSWORD', value: 'mine', entropy: 99 })
    expect(supplied).not.toHaveProperty('entropy')
  })

  it('values-11 generate and recipe are neither stored nor returned', async () => {
    const client = await contractClient()
    const attributes = { generate: true, recipe: { length: 8 } }
    const { json } = await client.replace(withField(attributes))
    const value = expect.stringMatching(/^.{8}$/)
    expect(json).toHaveProperty('fields', [{ id: 'f', type: 'CONCEALED', value }])
    expect(await client.read()).toStrictEqual(json)
    const { store, vaultId, item } = client.vault
    const record = await store.records.get({ collection: `items/${vaultId}`, id: item.id })
    const text = new TextDecoder().decode(record?.body)
    expect(text).not.toMatch(/generate|recipe/)
  })

  it('values-12 generate on a date is 400', async () => {
    const client = await contractClient()
    for (const type of ['DATE', 'MONTH_YEAR']) {
      const message = `fields/0/generate must not be true for the type ${type}`
      await expectRejected(client, message, withField({ type, generate: true }))
      await expectAccepted(client, withField({ type, generate: false }))
    }
    await expectAccepted(client, withField({ type: 'DATE', generate: true, value: '2020-02-29' }))
  })
})
