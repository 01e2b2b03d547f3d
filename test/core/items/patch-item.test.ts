import { describe, expect, it } from 'vitest'
import { createCaller, createVaultService, type PatchOperation } from '../../../src/index.js'
import { createTestVault } from '../../../src/testing.js'
import { getCurrentItem, itemRef } from '../../support/items/refs.js'
import { notFound, versionMismatch } from '../../support/service/rejections.js'
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
