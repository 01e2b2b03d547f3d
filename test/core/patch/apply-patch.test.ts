import { describe, expect, it } from 'vitest'
import { acceptedPatches } from '../../support/items/accepted-patches.js'
import { createPatchLab, patchedFrozen, settable } from '../../support/items/patch-harness.js'
import { patchedFields } from '../../support/items/patched-fields.js'

describe.each(acceptedPatches)('applyPatch and patchItem: %s', (_theme, accepted) => {
  it.each(accepted)('%s', async (_name, patch, changes) => {
    const harness = await createPatchLab({ fields: patchedFields })
    expect(await harness.patch(patch)).toStrictEqual({ ...harness.item, ...changes, version: 2 })
  })

  it.each(accepted)('%s, on a copy of the item and the patch', async (_name, patch, changes) => {
    const { item } = await createPatchLab({ fields: patchedFields })
    const document = patchedFrozen(item, patch)
    expect(settable(document)).toStrictEqual(settable({ ...item, ...changes }))
    expect(document).toMatchObject({ vault: item.vault })
    expect(document['id']).toBeUndefined()
  })
})

describe('patchItem with a new field', () => {
  const value = { type: 'STRING', label: 'New Field', value: 'hunter2' }

  it.each(['/fields', '/fields/-'])(
    'appends it with a generated id when added at %s',
    async (path) => {
      const harness = await createPatchLab()
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
    const harness = await createPatchLab()
    const { fields } = await harness.patch([
      { op: 'add', path: '/fields', value: { ...value, id: 'a/b' } },
    ])
    expect(fields).toStrictEqual([...harness.item.fields, { id: 'a/b', ...value }])
  })
})

describe('patchItem with an empty patch', () => {
  it('returns the item unchanged', async () => {
    const harness = await createPatchLab()
    expect(await harness.patch([])).toStrictEqual(harness.item)
    const { vault } = harness.item
    expect(patchedFrozen(harness.item, [])).toStrictEqual({ ...settable(harness.item), vault })
  })
})
