import { describe, expect, it } from 'vitest'
import {
  type ContractClient,
  contractClient,
  expectAccepted,
  expectRejected,
  fieldIn,
} from './support/contract-client.js'

const field = { id: 'f', type: 'STRING', label: 'Label' }
const types = ['STRING', 'EMAIL', 'CONCEALED', 'URL', 'TOTP', 'DATE', 'MONTH_YEAR', 'MENU']

/** An item with one field that has these attributes. */
const withField = (attributes: object): object => ({ fields: [{ ...field, ...attributes }] })

/** The field that is returned when an item is created with these attributes of a field. */
async function createdField({ create }: ContractClient, attributes: object): Promise<unknown> {
  return fieldIn((await create(withField(attributes))).json, 'f')
}

describe('contract 2.5: the field', () => {
  it('2.5-1 id is a required string', async () => {
    const client = await contractClient()
    const [item] = await expectAccepted(client, withField({ id: 'Any id, é' }))
    expect(item).toMatchObject({ fields: [{ id: 'Any id, é' }] })
    const others = [undefined, null, 7, {}]
    const message = 'fields/0/id must be a string'
    await expectRejected(client, message, ...others.map((id) => withField({ id })))
  })

  it('2.5-2 type is one of the strings of the contract, STRING by default', async () => {
    const client = await contractClient()
    const values: Readonly<Record<string, string>> = { DATE: '2020-02-29', MONTH_YEAR: '202002' }
    const items = types.map((type) => withField({ type, value: values[type] ?? 'x' }))
    const created = await expectAccepted(client, ...items)
    expect(created).toMatchObject(items)
    expect(await createdField(client, { type: undefined })).toMatchObject({ type: 'STRING' })
    const others = ['string', 'OTP', 'SSHKEY', '', null, 7]
    await expectRejected(
      client,
      /^fields\/0\/type must be/,
      ...others.map((type) => withField({ type })),
    )
  })

  it('2.5-3 label is an optional string', async () => {
    const client = await contractClient()
    const labels = ['Label', '', undefined]
    const created = await expectAccepted(client, ...labels.map((label) => withField({ label })))
    expect(created.map((item) => fieldIn(item, 'f')?.['label'])).toEqual(labels)
    const message = 'fields/0/label must be a string'
    await expectRejected(client, message, ...[7, null, ['a']].map((label) => withField({ label })))
  })

  it('2.5-4 value is an optional string', async () => {
    const client = await contractClient()
    const values = ['value', '', undefined]
    const created = await expectAccepted(client, ...values.map((value) => withField({ value })))
    expect(created.map((item) => fieldIn(item, 'f')?.['value'])).toEqual(values)
    const message = /^fields\/0\/value must be a string/
    await expectRejected(
      client,
      message,
      ...[7, null, true, {}].map((value) => withField({ value })),
    )
  })

  it('2.5-5 purpose is optional: empty, USERNAME, PASSWORD or NOTES', async () => {
    const client = await contractClient()
    const purposes = ['', 'USERNAME', 'PASSWORD', 'NOTES', undefined]
    const created = await expectAccepted(
      client,
      ...purposes.map((purpose) => withField({ purpose })),
    )
    expect(created.map((item) => fieldIn(item, 'f')?.['purpose'])).toEqual(purposes)
    const others = ['username', 'PIN', null, 7]
    const message = /^fields\/0\/purpose must be one of/
    await expectRejected(client, message, ...others.map((purpose) => withField({ purpose })))
  })

  it('2.5-6 section is an optional object with an optional string id', async () => {
    const client = await contractClient()
    const sections = [{ id: 's' }]
    const inSection = (section: unknown): object => ({ ...withField({ section }), sections })
    const references = [{ id: 's' }, {}, undefined]
    const created = await expectAccepted(client, ...references.map(inSection))
    expect(created.map((item) => fieldIn(item, 'f')?.['section'])).toEqual(references)
    const others = ['s', ['s'], null, { id: 7 }, { id: null }]
    await expectRejected(client, /^fields\/0\/section/, ...others.map(inSection))
  })

  it('2.5-7 entropy is an optional number, set for passwords', async () => {
    const client = await contractClient()
    const generated = { purpose: 'PASSWORD', generate: true }
    expect(await createdField(client, generated)).toMatchObject({
      entropy: expect.closeTo(194.71, 2),
    })
    expect(await createdField(client, { generate: true })).not.toHaveProperty('entropy')
    await expectAccepted(client, withField({ entropy: 12.5 }), withField({ entropy: 0 }))
    const message = /^fields\/0\/entropy must be a number/
    await expectRejected(
      client,
      message,
      ...['12', null, {}].map((entropy) => withField({ entropy })),
    )
  })

  it('2.5-8 generate is an optional boolean that generates a missing value', async () => {
    const client = await contractClient()
    const value = expect.stringMatching(/^[A-Za-z\d!@.\-_*]{32}$/)
    expect(await createdField(client, { generate: true })).toStrictEqual({ ...field, value })
    expect(await createdField(client, { generate: true, value: 'mine' })).toMatchObject({
      value: 'mine',
    })
    for (const generate of [false, undefined])
      expect(await createdField(client, { generate })).not.toHaveProperty('value')
    const message = 'fields/0/generate must be a boolean'
    const others = ['true', 1, null]
    await expectRejected(client, message, ...others.map((generate) => withField({ generate })))
  })

  it('2.5-9 recipe is an optional object', async () => {
    const client = await contractClient()
    await expectAccepted(client, withField({ recipe: {} }), withField({ generate: true }))
    const others = ['LETTERS', ['LETTERS'], null, 32]
    const message = 'fields/0/recipe must be an object'
    await expectRejected(client, message, ...others.map((recipe) => withField({ recipe })))
  })
})

describe('contract 2.5.1: the recipe', () => {
  const withRecipe = (recipe: object): object => withField({ generate: true, recipe })

  async function generated(client: ContractClient, recipe: object): Promise<string> {
    const { fields } = Object((await client.create(withRecipe(recipe))).json)
    return fields[0].value
  }

  it('2.5.1-1 the recipe decides the value only together with generate', async () => {
    const client = await contractClient()
    const recipe = { characterSets: ['DIGITS'], length: 5 }
    expect(await generated(client, recipe)).toMatch(/^\d{5}$/)
    expect(await createdField(client, { recipe })).not.toHaveProperty('value')
    expect(await createdField(client, { recipe, generate: false })).not.toHaveProperty('value')
  })

  it('2.5.1-2 characterSets is an array of at most 3 distinct sets', async () => {
    const client = await contractClient()
    const sets = { LETTERS: /^[A-Za-z]{32}$/, DIGITS: /^\d{32}$/, SYMBOLS: /^[!@.\-_*]{32}$/ }
    for (const [name, pattern] of Object.entries(sets))
      expect(await generated(client, { characterSets: [name] })).toMatch(pattern)
    await expectAccepted(client, withRecipe({ characterSets: Object.keys(sets) }))
    const others = [
      ['LETTERS', 'LETTERS'],
      [...Object.keys(sets), 'LETTERS'],
      ['letters'],
      ['WORDS'],
      [7],
      [null],
      'LETTERS',
      null,
    ]
    const message = /^fields\/0\/recipe\/characterSets/
    await expectRejected(
      client,
      message,
      ...others.map((characterSets) => withRecipe({ characterSets })),
    )
  })

  it('2.5.1-3 excludeCharacters is a string of characters that do not appear', async () => {
    const client = await contractClient()
    const excludeCharacters = 'ABCabc012345678!@'
    for (let round = 0; round < 20; round++)
      expect(await generated(client, { excludeCharacters, length: 64 })).toMatch(
        /^[D-Zd-z9.\-_*]{64}$/,
      )
    const message = 'fields/0/recipe/excludeCharacters must be a string'
    const others = [['A'], 7, null]
    await expectRejected(
      client,
      message,
      ...others.map((value) => withRecipe({ excludeCharacters: value })),
    )
  })

  it('2.5.1-4 length is an integer of 1 to 64, 32 by default', async () => {
    const client = await contractClient()
    for (const length of [1, 2, 31, 63, 64])
      expect(await generated(client, { length })).toHaveLength(length)
    expect(await generated(client, {})).toHaveLength(32)
    const others = [0, 65, -1, 1.5, '32', null]
    const message = /^fields\/0\/recipe\/length must be/
    await expectRejected(client, message, ...others.map((length) => withRecipe({ length })))
  })
})

describe('contract 2.6: the section', () => {
  it('2.6-1 id is a string', async () => {
    const client = await contractClient()
    const [item] = await expectAccepted(client, { sections: [{ id: 'Any id, é' }] })
    expect(item).toMatchObject({ sections: [{ id: 'Any id, é' }] })
    const message = 'sections/0/id must be a string'
    await expectRejected(client, message, ...[7, null].map((id) => ({ sections: [{ id }] })))
  })

  it('2.6-2 label is a string', async () => {
    const client = await contractClient()
    const sections = [{ id: 'a', label: 'A' }, { id: 'b', label: '' }, { id: 'c' }]
    const [item] = await expectAccepted(client, { sections })
    expect(item?.['sections']).toStrictEqual(sections)
    const message = 'sections/0/label must be a string'
    await expectRejected(client, message, ...[7, null].map((label) => ({ sections: [{ label }] })))
  })
})
