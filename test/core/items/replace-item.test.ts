import { describe, expect, it } from 'vitest'
import { createCaller, type ItemDraft } from '../../../src/index.js'
import { createTestVault, noteDraft } from '../../../src/testing.js'
import { getCurrentItem, itemRef } from '../../support/items/refs.js'
import { invalid, versionMismatch } from '../../support/service/rejections.js'

describe('replaceItem', () => {
  it('replaces all members that a client can set and returns the next version', async () => {
    const vault = await createTestVault()
    vault.clock.advance(1000)
    const replaced = await vault.service.replaceItem(createCaller('wendy', '*'), {
      ...itemRef(vault),
      item: { category: 'SECURE_NOTE', vault: { id: vault.vaultId }, favorite: true },
    })
    expect(replaced).toStrictEqual({
      id: vault.item.id,
      vault: { id: vault.vaultId },
      category: 'SECURE_NOTE',
      favorite: true,
      tags: [],
      urls: [],
      version: vault.item.version + 1,
      createdAt: vault.item.createdAt,
      updatedAt: '2026-01-01T00:00:01.000Z',
      lastEditedBy: 'wendy',
      sections: [],
      fields: [],
      files: vault.item.files.map(({ section: _, ...file }) => file),
    })
    expect(await getCurrentItem(vault)).toStrictEqual(replaced)
  })

  it('increments the version once per success and not on a rejection', async () => {
    const vault = await createTestVault()
    const versions = []
    for (const title of ['A', 'B', 7, 'C']) {
      const item = { ...noteDraft(vault.vaultId), title } as ItemDraft
      const { version } = await vault.service
        .replaceItem(vault.caller, { ...itemRef(vault), item })
        .catch(() => getCurrentItem(vault))
      versions.push(version - vault.item.version)
    }
    expect(versions).toEqual([1, 2, 2, 3])
  })

  it('increments the version when nothing changes', async () => {
    const vault = await createTestVault()
    const item = { ...vault.item }
    const replaced = await vault.service.replaceItem(vault.caller, { ...itemRef(vault), item })
    expect(replaced).toStrictEqual({ ...vault.item, version: vault.item.version + 1 })
  })

  it.each<[string, object, string]>([
    ['another item', { id: 'z'.repeat(26) }, 'id must be the item of the operation (itemId)'],
    ['an id that is not a string', { id: 7 }, 'id must be a string'],
    ['a malformed id', { id: 'x' }, 'id has an invalid format'],
    [
      'another vault',
      { vault: { id: 'z'.repeat(26) } },
      'vault/id must be the vault of the operation (vaultId)',
    ],
  ])('rejects a body with %s and changes nothing', async (_, changes, message) => {
    const vault = await createTestVault()
    const item = { ...noteDraft(vault.vaultId), ...changes } as ItemDraft
    await expect(
      vault.service.replaceItem(vault.caller, { ...itemRef(vault), item }),
    ).rejects.toMatchObject(invalid(message))
    expect(await getCurrentItem(vault)).toStrictEqual(vault.item)
  })

  it('removes the section of a file when the body has no such section', async () => {
    const vault = await createTestVault()
    const { service, caller, smallFile, largeFile } = vault
    const { id: other } = await service.attachFile(caller, {
      ...itemRef(vault),
      name: 'elsewhere',
      content: new Uint8Array(1),
    })
    const item = noteDraft(vault.vaultId)
    const replaced = await service.replaceItem(caller, { ...itemRef(vault), item })
    expect(replaced.files.map(({ id, section }) => [id, section])).toEqual([
      [smallFile.id, undefined],
      [largeFile.id, undefined],
      [other, undefined],
    ])
    expect(await service.listFiles(caller, itemRef(vault))).toStrictEqual(replaced.files)
    const ref = { ...itemRef(vault), fileId: smallFile.id, inlineFiles: true }
    expect((await service.getFileDetails(caller, ref)).content).toBe(btoa('hello'))
  })

  describe('with `ifVersion`', () => {
    it('rejects when the version differs', async () => {
      const vault = await createTestVault()
      const { version } = vault.item
      const replace = (ifVersion: number) =>
        vault.service.replaceItem(vault.caller, {
          ...itemRef(vault),
          item: noteDraft(vault.vaultId),
          ifVersion,
        })
      for (const stale of [0, version - 1, version + 1]) {
        await expect(replace(stale)).rejects.toMatchObject(versionMismatch(vault.item.id))
      }
      expect(await getCurrentItem(vault)).toStrictEqual(vault.item)
      expect(await replace(version)).toMatchObject({ version: version + 1 })
      await expect(replace(version)).rejects.toMatchObject(versionMismatch(vault.item.id))
    })
  })
})

describe('replaceItem with ifState', () => {
  const deleteItem = async () => {
    const vault = await createTestVault({ strict: true, history: { maxVersions: 5 } })
    const ref = itemRef(vault)
    const { version } = await vault.service.setItemState(vault.caller, { ...ref, state: 'DELETED' })
    const item = noteDraft(vault.vaultId, { title: 'again' })
    const input = { ...ref, item, ifState: 'DELETED' } as const
    return { ...vault, ref, version, input, mismatch: versionMismatch(ref.itemId) }
  }

  it('makes an item that is marked as deleted active in the same write, and keeps its files', async () => {
    const { service, caller, ref, version, input, item } = await deleteItem()
    const replaced = await service.replaceItem(caller, input)
    expect(replaced).toMatchObject({
      title: 'again',
      version: version + 1,
      createdAt: item.createdAt,
    })
    expect(replaced).not.toHaveProperty('state')
    expect(replaced.files).toHaveLength(2)
    expect(await service.getItem(caller, ref)).toStrictEqual(replaced)
    const versions = await service.listVersions(caller, ref)
    expect(versions.map((one) => one.version)).toContain(version)
  })

  it('rejects an item that is active or archived, and an invalid state', async () => {
    const { service, caller, ref, version, input, mismatch } = await deleteItem()
    const replaced = await service.replaceItem(caller, { ...input, ifVersion: version })
    await expect(service.replaceItem(caller, input)).rejects.toMatchObject(mismatch)
    await service.setItemState(caller, { ...ref, state: 'ARCHIVED' })
    await expect(service.replaceItem(caller, input)).rejects.toMatchObject(mismatch)
    const active = { ...input, ifState: 'ACTIVE' as 'DELETED' }
    await expect(service.replaceItem(caller, active)).rejects.toThrow('ifState')
    expect(await service.getItem(caller, ref)).toMatchObject({ version: replaced.version + 1 })
  })

  it('rejects an item that does not exist, or has another version', async () => {
    const { service, caller, ref, version, input, mismatch } = await deleteItem()
    const other = { ...input, ifVersion: version - 1 }
    await expect(service.replaceItem(caller, other)).rejects.toMatchObject(mismatch)
    await service.replaceItem(caller, input)
    await service.deleteItem(caller, ref)
    await expect(service.replaceItem(caller, input)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
