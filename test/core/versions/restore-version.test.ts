import { describe, expect, it } from 'vitest'
import { createCaller, type ItemDraft } from '../../../src/index.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { itemPlace } from '../../support/items/refs.js'
import { notFound, staleVersion } from '../../support/service/rejections.js'

const history = { maxVersions: 9 }

describe('restoreVersion', () => {
  it('restores the attributes of the version as the next version', async () => {
    const vault = await createTestVault({ history })
    const { sections } = vault.item
    await replaceItem(vault, { category: 'SECURE_NOTE', vault: { id: vault.vaultId }, sections })
    vault.clock.advance(5)
    const restored = await vault.service.restoreVersion(createCaller('wendy', '*'), {
      ...itemPlace(vault),
      version: vault.item.version,
    })
    expect(restored).toStrictEqual({
      ...vault.item,
      version: 5,
      updatedAt: '2026-01-01T00:00:00.005Z',
      lastEditedBy: 'wendy',
    })
    expect(await vault.service.getItem(vault.caller, itemPlace(vault))).toStrictEqual(restored)
  })

  it('restores a generated password with its entropy', async () => {
    const vault = await createTestVault({ history })
    const { service, caller } = vault
    const fields = [{ id: 'p', purpose: 'PASSWORD', type: 'CONCEALED', generate: true }] as const
    const original = await replaceItem(vault, {
      category: 'LOGIN',
      vault: { id: vault.vaultId },
      fields,
    })
    const value = [{ op: 'replace', path: '/fields/p/value', value: 'typed' }] as const
    await service.patchItem(caller, { ...itemPlace(vault), patch: value })
    const restored = await service.restoreVersion(caller, { ...itemPlace(vault), version: 4 })
    expect(restored.fields).toStrictEqual(original.fields)
    expect(restored.fields[0]?.entropy).toBeGreaterThan(190)
  })

  it('keeps the current files', async () => {
    const vault = await createTestVault({ history })
    const restored = await vault.service.restoreVersion(vault.caller, {
      ...itemPlace(vault),
      version: 1,
    })
    expect(restored.files).toStrictEqual(vault.item.files)
  })

  it('removes a file from a section that the version did not have', async () => {
    const vault = await createTestVault({ history })
    const { service, caller } = vault
    const sections = [...vault.item.sections, { id: 'new' }]
    const { version } = await replaceItem(vault, { ...vault.item, sections })
    const file = { name: 'f', content: new Uint8Array(1), sectionId: 'new' }
    const { id } = await service.attachFile(caller, { ...itemPlace(vault), ...file })
    const restored = await service.restoreVersion(caller, {
      ...itemPlace(vault),
      version: version - 1,
    })
    expect(restored.files.slice(0, -1)).toStrictEqual(vault.item.files)
    expect(restored.files.at(-1)).toMatchObject({ id })
    expect(restored.files.at(-1)).not.toHaveProperty('section')
    expect(await service.listFiles(caller, itemPlace(vault))).toStrictEqual(restored.files)
  })

  it('throws PRECONDITION_FAILED when ifVersion does not match', async () => {
    const vault = await createTestVault({ history })
    const restore = (ifVersion: number): Promise<unknown> =>
      vault.service.restoreVersion(vault.caller, { ...itemPlace(vault), version: 1, ifVersion })
    await expect(restore(2)).rejects.toMatchObject(staleVersion(vault.item.id))
    await expect(restore(3)).resolves.toMatchObject({ version: 4 })
  })

  it('throws NOT_FOUND and changes nothing when the version is not archived', async () => {
    const vault = await createTestVault()
    const ref = { ...itemPlace(vault), version: 1 }
    await expect(vault.service.restoreVersion(vault.caller, ref)).rejects.toMatchObject(
      notFound('version', '1'),
    )
    expect(await vault.service.getItem(vault.caller, itemPlace(vault))).toStrictEqual(vault.item)
  })
})

function replaceItem(
  vault: TestVault,
  item: ItemDraft,
): ReturnType<TestVault['service']['replaceItem']> {
  return vault.service.replaceItem(vault.caller, { ...itemPlace(vault), item })
}
