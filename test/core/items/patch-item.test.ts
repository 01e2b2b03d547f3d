import { describe, expect, it } from 'vitest'
import { createCaller, createVaultService, type PatchOperation } from '../../../src/index.js'
import { createTestVault } from '../../../src/testing.js'
import { getCurrentItem, itemRef } from '../../support/items/refs.js'
import { invalid, notFound, versionMismatch } from '../../support/service/rejections.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const rename: PatchOperation = { op: 'replace', path: '/title', value: 'Renamed' }

describe('patchItem', () => {
  it('changes only the given paths and returns the next version', async () => {
    const vault = await createTestVault()
    vault.clock.advance(1)
    const patched = await vault.service.patchItem(createCaller('wendy', '*'), {
      ...itemRef(vault),
      patch: [rename, { op: 'add', path: '/tags/-', value: 'new' }],
    })
    expect(patched).toStrictEqual({
      ...vault.item,
      title: 'Renamed',
      tags: ['work', 'mail', 'new'],
      version: vault.item.version + 1,
      updatedAt: '2026-01-01T00:00:00.001Z',
      lastEditedBy: 'wendy',
    })
    expect(await getCurrentItem(vault)).toStrictEqual(patched)
  })

  it('increments the version when the patch changes nothing', async () => {
    const vault = await createTestVault()
    const patch: PatchOperation[] = [{ op: 'replace', path: '/title', value: 'Example' }]
    expect(await vault.service.patchItem(vault.caller, { ...itemRef(vault), patch })).toStrictEqual(
      {
        ...vault.item,
        version: vault.item.version + 1,
      },
    )
  })

  it.each([[{ id: 'x' }], [{}], [5], [null]])(
    'rejects a whole item whose vault is %j',
    async (malformed) => {
      const vault = await createTestVault()
      const value = { ...vault.item, vault: malformed }
      const patch = [{ op: 'replace', path: '/', value }] as const
      const patching = vault.service.patchItem(vault.caller, { ...itemRef(vault), patch })
      await expect(patching).rejects.toMatchObject({ code: 'INVALID_INPUT' })
      expect(await getCurrentItem(vault)).toStrictEqual(vault.item)
    },
  )

  it.each([[undefined], [{ id: 'a'.repeat(26) }]])(
    'keeps the item in its vault when the vault of a whole item is %j',
    async (other) => {
      const vault = await createTestVault()
      const value = { ...vault.item, vault: other, title: 'Whole' }
      const patch = [{ op: 'replace', path: '/', value }] as const
      const patched = await vault.service.patchItem(vault.caller, { ...itemRef(vault), patch })
      expect(patched).toMatchObject({ title: 'Whole', vault: vault.item.vault })
    },
  )

  it('ignores the id of a whole item that a later operation replaces', async () => {
    const { service, caller, vaultId, item } = await createTestVault()
    const ref = { vaultId, itemId: item.id }
    const malformed = { op: 'add', path: '', value: { category: 'LOGIN', id: 'x' } } as const
    const valid = { op: 'add', path: '', value: { category: 'LOGIN' } } as const
    const patched = await service.patchItem(caller, { ...ref, patch: [malformed, valid] })
    expect(patched).toMatchObject({ id: item.id, category: 'LOGIN', version: item.version + 1 })
    await expect(
      service.patchItem(caller, { ...ref, patch: [valid, malformed] }),
    ).rejects.toMatchObject({ status: 400 })
  })

  it('returns the result of replaceItem when the path is the whole item', async () => {
    const id = 'z'.repeat(26)
    const value = { category: 'SECURE_NOTE', title: 'Whole', id, version: 7, files: [] }
    const patched = []
    for (const path of ['', '/']) {
      const vault = await createTestVault()
      const patch = [{ op: 'replace' as const, path, value }]
      patched.push(await vault.service.patchItem(vault.caller, { ...itemRef(vault), patch }))
    }
    const vault = await createTestVault()
    const item = { category: 'SECURE_NOTE' as const, title: 'Whole', vault: { id: vault.vaultId } }
    const replaced = await vault.service.replaceItem(vault.caller, { ...itemRef(vault), item })
    expect(patched).toStrictEqual([replaced, replaced])
  })

  it('applies all operations or none', async () => {
    const vault = await createTestVault()
    const patch: PatchOperation[] = [rename, { op: 'remove', path: '/fields/lost' }]
    await expect(
      vault.service.patchItem(vault.caller, { ...itemRef(vault), patch }),
    ).rejects.toMatchObject(
      invalid('operation 1 ("/fields/lost"): The item doesn\'t have a lost field.'),
    )
    expect(await getCurrentItem(vault)).toStrictEqual(vault.item)
  })

  it.each<[string, unknown, string | undefined]>([
    ['a patch that is not an array', { ...rename }, 'must be an array'],
    ['an unknown operation', [{ ...rename, op: 'move' }], undefined],
    ['too many operations', Array(257).fill(rename), 'must be at most 256 elements long'],
    ['a result that is not a valid item', [{ ...rename, value: 7 }], 'title must be a string'],
    ['an unknown category', [{ ...rename, path: '/category' }], 'Invalid item category'],
    [
      'a path that the vault manages',
      [{ ...rename, path: '/version' }],
      'operation 0 ("/version"): is not a patchable path of an item',
    ],
  ])('rejects %s and changes nothing', async (_, patch, message) => {
    const vault = await createTestVault()
    await expect(
      vault.service.patchItem(vault.caller, {
        ...itemRef(vault),
        patch: patch as PatchOperation[],
      }),
    ).rejects.toMatchObject(invalid(message))
    expect(await getCurrentItem(vault)).toStrictEqual(vault.item)
  })

  it('generates the value of a field without a value', async () => {
    const vault = await createTestVault()
    const recipe = { characterSets: ['DIGITS'], length: 6 }
    const value = { label: 'PIN', generate: true, recipe }
    const patch: PatchOperation[] = [{ op: 'add', path: '/fields/code', value }]
    const { fields } = await vault.service.patchItem(vault.caller, { ...itemRef(vault), patch })
    expect(fields.at(-1)).toStrictEqual({
      id: 'code',
      type: 'STRING',
      label: 'PIN',
      value: expect.stringMatching(/^\d{6}$/),
    })
  })

  describe('without operations', () => {
    it('returns the unchanged item and writes nothing', async () => {
      const vault = await createTestVault()
      const store = createRecordingStore(vault.store)
      const service = createVaultService({ store })
      const result = await service.patchItem(createCaller('other', '*'), {
        ...itemRef(vault),
        patch: [],
      })
      expect(result).toStrictEqual(vault.item)
      expect(store.calls).toEqual(['records.get'])
    })

    it('rejects an item that does not exist', async () => {
      const { service, caller, vaultId } = await createTestVault()
      const itemId = 'z'.repeat(26)
      await expect(
        service.patchItem(caller, { vaultId, itemId, patch: [], ifVersion: 1 }),
      ).rejects.toMatchObject(notFound('item', itemId))
    })
  })

  describe('with `ifVersion`', () => {
    it.each([
      ['a patch', [rename], 1],
      ['an empty patch', [], 0],
    ])('rejects %s when the version differs', async (_, patch, increment) => {
      const vault = await createTestVault()
      const { version } = vault.item
      const patchAt = (ifVersion: number) =>
        vault.service.patchItem(vault.caller, { ...itemRef(vault), patch, ifVersion })
      for (const stale of [0, version - 1, version + 1]) {
        await expect(patchAt(stale)).rejects.toMatchObject(versionMismatch(vault.item.id))
      }
      expect(await getCurrentItem(vault)).toStrictEqual(vault.item)
      expect(await patchAt(version)).toMatchObject({ version: version + increment })
    })
  })
})
