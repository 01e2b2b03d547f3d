import { describe, expect, it } from 'vitest'
import { acceptedPatches } from '../../support/items/accepted-patches.js'
import { createPatchHarness, patchFrozen, pickSettable } from '../../support/items/patch-harness.js'
import { patchedFields } from '../../support/items/patched-fields.js'

describe.each(acceptedPatches)('applyPatch and patchItem: %s', (_theme, accepted) => {
  it.each(accepted)('%s', async (_name, patch, changes) => {
    const harness = await createPatchHarness({ fields: patchedFields })
    expect(await harness.patch(patch)).toStrictEqual({ ...harness.item, ...changes, version: 2 })
  })

  it.each(accepted)('%s, on a copy of the item and the patch', async (_name, patch, changes) => {
    const { item } = await createPatchHarness({ fields: patchedFields })
    const document = patchFrozen(item, patch)
    expect(pickSettable(document)).toStrictEqual(pickSettable({ ...item, ...changes }))
    expect(document).toMatchObject({ vault: item.vault })
    expect(document['id']).toBeUndefined()
  })
})

describe('patchItem with a new field', () => {
  const value = { type: 'STRING', label: 'New Field', value: 'hunter2' }

  it.each(['/fields', '/fields/-'])(
    'appends it with a generated id when added at %s',
    async (path) => {
      const harness = await createPatchHarness()
      const operation = { op: 'add', path, value }
      const { fields } = await harness.patch([operation, operation])
      expect(fields.slice(0, 3)).toStrictEqual(harness.item.fields)
      expect(fields.slice(3)).toMatchObject([value, value])
      const ids = fields.slice(3).map(({ id }) => id)
      expect(ids).toEqual([
        expect.stringMatching(/^[a-z2-7]{26}$/),
        expect.stringMatching(/^[a-z2-7]{26}$/),
      ])
      expect(new Set(ids).size).toBe(2)
    },
  )

  it('appends it with its own id when it has one', async () => {
    const harness = await createPatchHarness()
    const { fields } = await harness.patch([
      { op: 'add', path: '/fields', value: { ...value, id: 'a/b' } },
    ])
    expect(fields).toStrictEqual([...harness.item.fields, { id: 'a/b', ...value }])
  })
})

describe('patchItem with an empty patch', () => {
  it('returns the item unchanged', async () => {
    const harness = await createPatchHarness()
    expect(await harness.patch([])).toStrictEqual(harness.item)
    const { vault } = harness.item
    expect(patchFrozen(harness.item, [])).toStrictEqual({ ...pickSettable(harness.item), vault })
  })
})

describe('patchItem with a field that is referred to twice', () => {
  it.each([
    ['value', '/fields/password/value', 'new'],
    ['section', '/fields/password/section/id', 'other'],
  ])('changes the %s of only one of the two', async (_, path, value) => {
    const section = { id: 'more' }
    const password = { id: 'password', type: 'CONCEALED', value: 'old', section } as const
    const sections = [{ id: 'more' }, { id: 'other' }]
    const harness = await createPatchHarness({ sections, fields: [password] })
    const { fields } = await harness.patch([
      { op: 'replace', path: '/fields/password/value', value: 'changed' },
      { op: 'replace', path: '/fields/password/section/id', value: 'more' },
      { op: 'add', path: '/fields', value: { id: 'password' } },
      { op: 'replace', path, value },
      { op: 'remove', path: '/fields/password' },
    ])
    expect(fields).toEqual([{ ...password, value: 'changed' }])
  })

  it('does not generate a value for the other one', async () => {
    const password = { id: 'password', type: 'CONCEALED', value: 'old' } as const
    const harness = await createPatchHarness({ fields: [password] })
    const { fields } = await harness.patch([
      { op: 'remove', path: '/fields/password/value' },
      { op: 'add', path: '/fields/-', value: { id: 'password' } },
      { op: 'add', path: '/fields/password/generate', value: true },
      { op: 'remove', path: '/fields/password' },
    ])
    expect(fields).toEqual([{ id: 'password', type: 'CONCEALED' }])
  })
})

describe('patchItem with a section id that is not a string', () => {
  it('keeps it for a later reference to its field, and rejects it', async () => {
    const pin = { id: 'pin', type: 'STRING', section: {} } as const
    const harness = await createPatchHarness({ fields: [pin] })
    const reason = await harness.rejection([
      { op: 'add', path: '/fields/pin/section/id', value: null },
      { op: 'replace', path: '/fields', value: [{ id: 'pin' }] },
    ])
    expect(reason).toBe('fields/0/section/id must be a string')
  })
})
