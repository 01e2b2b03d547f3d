import { describe, expect, it } from 'vitest'
import { createPatchLab } from '../../support/items/patch-harness.js'

const generated = [
  { op: 'remove', path: '/fields/password/value' },
  { op: 'add', path: '/fields/password/generate', value: true },
]
const recipe = { characterSets: ['DIGITS'], length: 6 }

describe('patchItem with generate', () => {
  it('generates a value and its entropy when the patch removes the value', async () => {
    const { fields } = await (await createPatchLab()).patch(generated)
    expect(fields[1]).toStrictEqual({
      id: 'password',
      type: 'CONCEALED',
      label: 'password',
      value: expect.stringMatching(/^[\w!@.*-]{32}$/),
      entropy: expect.closeTo(194.7126098839, 9),
      purpose: 'PASSWORD',
    })
  })

  it.each(['', null])('generates a value when the value is %j', async (value) => {
    const harness = await createPatchLab()
    const { fields } = await harness.patch([
      { op: 'replace', path: '/fields/pin/value', value },
      { op: 'add', path: '/fields/pin/generate', value: true },
      { op: 'add', path: '/fields/pin/recipe', value: {} },
      { op: 'add', path: '/fields/pin/recipe/characterSets', value: recipe.characterSets },
      { op: 'add', path: '/fields/pin/recipe/length', value: recipe.length },
    ])
    expect(fields[2]).toEqual({
      ...harness.item.fields[2],
      value: expect.stringMatching(/^\d{6}$/),
    })
  })

  it('generates nothing when the field has a value', async () => {
    const harness = await createPatchLab()
    const patch = generated.slice(1)
    expect((await harness.patch(patch)).fields).toStrictEqual(harness.item.fields)
  })

  it('generates a different value each time', async () => {
    const harness = await createPatchLab()
    const first = await harness.patch(generated)
    const second = await harness.patch(generated)
    expect(first.fields[1]?.value).not.toBe(second.fields[1]?.value)
  })

  it('rejects a recipe that leaves fewer than two characters', async () => {
    const value = {
      type: 'STRING',
      generate: true,
      recipe: { ...recipe, excludeCharacters: '012345678' },
    }
    expect(
      await (await createPatchLab()).refusal([{ op: 'add', path: '/fields/new', value }]),
    ).toBe('fields/3/recipe/excludeCharacters must leave at least two characters')
  })
})

describe('patchItem on a field with entropy', () => {
  const reference = { category: 'LOGIN', fields: [{ id: 'password' }] }

  it.each<[string, unknown[]]>([
    [
      'another attribute changes',
      [{ op: 'replace', path: '/fields/password/label', value: 'Other' }],
    ],
    [
      'the whole item is replaced and the field is a reference',
      [{ op: 'replace', path: '/', value: reference }],
    ],
  ])('keeps the entropy when %s', async (_name, patch) => {
    const harness = await createPatchLab()
    const before = (await harness.patch(generated)).fields[1]
    const { fields } = await harness.patch(patch)
    const after = fields.find(({ id }) => id === 'password')
    expect(after).toMatchObject({ value: before?.value, entropy: before?.entropy })
  })

  const change = { op: 'replace', path: '/fields/password/value', value: 'hunter2' }
  it.each<[string, unknown[]]>([
    ['the value changes', [change]],
    [
      'the value changes after the whole item is replaced and the field is a reference',
      [{ op: 'replace', path: '/', value: reference }, change],
    ],
    ['the purpose is removed', [{ op: 'remove', path: '/fields/password/purpose' }]],
  ])('removes the entropy when %s', async (_name, patch) => {
    const harness = await createPatchLab()
    await harness.patch(generated)
    const { fields } = await harness.patch(patch)
    expect(fields.find(({ id }) => id === 'password')).not.toHaveProperty('entropy')
  })
})
