import { describe, expect, it } from 'vitest'
import { createPatchLab } from '../../support/items/patch-harness.js'

const generated = [
  { op: 'remove', path: '/fields/password/value' },
  { op: 'add', path: '/fields/password/generate', value: true },
]
const recipe = { characterSets: ['DIGITS'], length: 6 }

describe('a patch that asks for a generated value', () => {
  it('gets one for the field whose value it removes, with its entropy', async () => {
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

  it.each(['', null])('gets one in the place of %j', async (value) => {
    const lab = await createPatchLab()
    const { fields } = await lab.patch([
      { op: 'replace', path: '/fields/pin/value', value },
      { op: 'add', path: '/fields/pin/generate', value: true },
      { op: 'add', path: '/fields/pin/recipe', value: {} },
      { op: 'add', path: '/fields/pin/recipe/characterSets', value: recipe.characterSets },
      { op: 'add', path: '/fields/pin/recipe/length', value: recipe.length },
    ])
    expect(fields[2]).toEqual({ ...lab.item.fields[2], value: expect.stringMatching(/^\d{6}$/) })
  })

  it('gets none where there is a value', async () => {
    const lab = await createPatchLab()
    const patch = generated.slice(1)
    expect((await lab.patch(patch)).fields).toStrictEqual(lab.item.fields)
  })

  it('gets another one each time', async () => {
    const lab = await createPatchLab()
    const first = await lab.patch(generated)
    const second = await lab.patch(generated)
    expect(first.fields[1]?.value).not.toBe(second.fields[1]?.value)
  })

  it('is refused for a recipe that leaves nothing to choose', async () => {
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

describe('the entropy of a generated password', () => {
  const reference = { category: 'LOGIN', fields: [{ id: 'password' }] }

  it.each<[string, unknown[]]>([
    [
      'another attribute changes',
      [{ op: 'replace', path: '/fields/password/label', value: 'Other' }],
    ],
    ['only its id is in a replaced item', [{ op: 'replace', path: '/', value: reference }]],
  ])('stays when %s', async (_name, patch) => {
    const lab = await createPatchLab()
    const before = (await lab.patch(generated)).fields[1]
    const { fields } = await lab.patch(patch)
    const after = fields.find(({ id }) => id === 'password')
    expect(after).toMatchObject({ value: before?.value, entropy: before?.entropy })
  })

  const change = { op: 'replace', path: '/fields/password/value', value: 'hunter2' }
  it.each<[string, unknown[]]>([
    ['its value changes', [change]],
    [
      'its value changes after only its id is in a replaced item',
      [{ op: 'replace', path: '/', value: reference }, change],
    ],
    ['its purpose goes', [{ op: 'remove', path: '/fields/password/purpose' }]],
  ])('goes when %s', async (_name, patch) => {
    const lab = await createPatchLab()
    await lab.patch(generated)
    const { fields } = await lab.patch(patch)
    expect(fields.find(({ id }) => id === 'password')).not.toHaveProperty('entropy')
  })
})
