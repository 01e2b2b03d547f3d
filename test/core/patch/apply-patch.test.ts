import { describe, expect, it } from 'vitest'
import { acceptedPatches } from '../../support/items/accepted-patches.js'
import { createPatchLab, patchedFrozen, settable } from '../../support/items/patch-harness.js'
import { patchedFields } from '../../support/items/patched-fields.js'

describe.each(acceptedPatches)('a patch of %s', (_theme, accepted) => {
  it.each(accepted)('%s', async (_name, patch, changes) => {
    const lab = await createPatchLab({ fields: patchedFields })
    expect(await lab.patch(patch)).toStrictEqual({ ...lab.item, ...changes, version: 2 })
  })

  it.each(accepted)('%s, on a copy of what it is given', async (_name, patch, changes) => {
    const { item } = await createPatchLab({ fields: patchedFields })
    const document = patchedFrozen(item, patch)
    expect(settable(document)).toStrictEqual(settable({ ...item, ...changes }))
    expect(document).toMatchObject({ vault: item.vault })
    expect(document['id']).toBeUndefined()
  })
})

describe('a patch that adds a new field', () => {
  const value = { type: 'STRING', label: 'New Field', value: 'hunter2' }

  it.each(['/fields', '/fields/-'])('appends it to %s with an id of its own', async (path) => {
    const lab = await createPatchLab()
    const operation = { op: 'add', path, value }
    const { fields } = await lab.patch([operation, operation])
    expect(fields.slice(0, 3)).toStrictEqual(lab.item.fields)
    expect(fields.slice(3)).toMatchObject([value, value])
    const ids = fields.slice(3).map(({ id }) => id)
    expect(ids).toEqual([
      expect.stringMatching(/^[a-z2-7]{26}$/),
      expect.stringMatching(/^[a-z2-7]{26}$/),
    ])
    expect(new Set(ids).size).toBe(2)
  })

  it('appends it with the id that it has', async () => {
    const lab = await createPatchLab()
    const { fields } = await lab.patch([
      { op: 'add', path: '/fields', value: { ...value, id: 'a/b' } },
    ])
    expect(fields).toStrictEqual([...lab.item.fields, { id: 'a/b', ...value }])
  })
})

describe('a patch without operations', () => {
  it('answers the item as it is', async () => {
    const lab = await createPatchLab()
    expect(await lab.patch([])).toStrictEqual(lab.item)
    const { vault } = lab.item
    expect(patchedFrozen(lab.item, [])).toStrictEqual({ ...settable(lab.item), vault })
  })
})
