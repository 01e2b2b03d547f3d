import { describe, expect, it } from 'vitest'
import { createCaller, createVaultService, type Field, NotFoundError } from '../../../src/index.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { invalid, notFound } from '../../support/service/rejections.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const ambiguous = 'field is the label of several fields: pass the id of one, or its section'

describe('getField', () => {
  it('returns the field as it is in the item, after one store call', async () => {
    const { store, vaultId, item } = await createTestVault()
    const recording = createRecordingStore(store)
    const service = createVaultService({ store: recording })
    const reader = createCaller({ id: 'reader', vaults: { [vaultId]: 'read' } })
    const ref = { vaultId, itemId: item.id }
    expect(await service.getField(reader, { ...ref, field: 'pin' })).toStrictEqual(item.fields[2])
    expect(recording.calls).toEqual(['records.get'])
  })

  it.each<[string, { field: string; section?: string | undefined }, string]>([
    ['an id', { field: 'one' }, 'first'],
    ['a label', { field: 'Only' }, 'first'],
    ['an id that also is a label', { field: 'two' }, 'second'],
    ['the id of a section', { field: 'Twice', section: 'b' }, 'third'],
    ['the label of a section', { field: 'Twice', section: 'Back' }, 'third'],
    ['an id of a section that also is a label', { field: 'Twice', section: 'a' }, 'second'],
    ['an id in its section', { field: 'three', section: 'Back' }, 'third'],
    ['no section', { field: 'three', section: undefined }, 'third'],
    ['the label of two sections', { field: 'four', section: 'Same' }, 'fourth'],
    ['an empty label', { field: '' }, 'fourth'],
  ])('returns the field that %s names', async (_, input, value) => {
    const vault = await createFields()
    expect(await getField(vault, input)).toMatchObject({ value })
  })

  it.each([
    [{ field: 'nothing' }],
    [{ field: 'ONE' }],
    [{ field: 'only' }],
    [{ field: 'one', section: 'b' }],
    [{ field: 'one', section: 'nothing' }],
    [{ field: 'one', section: '' }],
    [{ field: 'three', section: 'BACK' }],
    [{ field: 'constructor' }],
  ])('rejects %j, which names no field', async (input) => {
    const error = await getField(await createFields(), input).catch((reason) => reason)
    expect(error).toMatchObject({ ...notFound('field', input.field), resource: 'field' })
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error.id).toBe(input.field)
  })

  it('repeats a name in the message only if it has the form of an id', async () => {
    const field = 'one-time password'
    const missing = { code: 'NOT_FOUND', message: 'field not found', id: field }
    await expect(getField(await createTestVault(), { field })).rejects.toMatchObject(missing)
  })

  it('rejects a label that several fields have', async () => {
    const vault = await createFields()
    await expect(getField(vault, { field: 'Twice' })).rejects.toMatchObject({
      ...invalid(ambiguous),
      issues: [{ path: 'field', message: ambiguous.slice('field '.length) }],
    })
    const inSections = getField(vault, { field: 'Thrice', section: 'Same' })
    await expect(inSections).rejects.toMatchObject(invalid(ambiguous))
  })

  it('finds the fields of an archived item, but not of a deleted one', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId, item } = vault
    const ref = { vaultId, itemId: item.id }
    await service.setItemState(caller, { ...ref, state: 'ARCHIVED' })
    expect(await getField(vault, { field: 'pin' })).toMatchObject({ value: '1234' })
    await service.setItemState(caller, { ...ref, state: 'DELETED' })
    await expect(getField(vault, { field: 'pin' })).rejects.toMatchObject(notFound('item', item.id))
  })
})

/** Creates an item whose ids and labels overlap. */
async function createFields(): Promise<TestVault> {
  const vault = await createTestVault()
  const { service, caller, vaultId } = vault
  const field = (id: string, label: string, value: string, section?: string) => ({
    ...{ id, label, value },
    ...(section !== undefined && { section: { id: section } }),
  })
  const item = await service.createItem(caller, {
    vaultId,
    item: {
      category: 'LOGIN',
      vault: { id: vaultId },
      sections: [
        { id: 'a', label: 'Front' },
        { id: 'b', label: 'Back' },
        { id: 'c', label: 'a' },
        { id: 'd', label: 'Same' },
        { id: 'e', label: 'Same' },
      ],
      fields: [
        field('one', 'Only', 'first'),
        field('two', 'Twice', 'second', 'a'),
        field('three', 'Twice', 'third', 'b'),
        field('four', '', 'fourth', 'd'),
        field('five', 'two', 'fifth', 'c'),
        field('six', 'Thrice', 'sixth', 'd'),
        field('seven', 'Thrice', 'seventh', 'e'),
      ],
    },
  })
  return { ...vault, item }
}

function getField(
  { service, caller, vaultId, item }: TestVault,
  input: { readonly field: string; readonly section?: string | undefined },
): Promise<Field> {
  return service.getField(caller, { vaultId, itemId: item.id, ...input })
}
