import { describe, expect, it } from 'vitest'
import { createCaller, type ItemDraft } from '../../../src/index.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { itemRef } from '../../support/items/refs.js'
import { invalid, notFound, versionMismatch } from '../../support/service/rejections.js'

const history = { maxVersions: 9 }

describe('getVersion', () => {
  it('returns the item for its current version', async () => {
    const vault = await createTestVault()
    const { version } = vault.item
    const ref = { ...itemRef(vault), version }
    expect(await vault.service.getVersion(vault.caller, ref)).toStrictEqual(vault.item)
  })

  it.each([2, 4, 99, 10_000_000_000])(
    'throws NOT_FOUND for the missing version %i',
    async (version) => {
      const vault = await createTestVault()
      const call = vault.service.getVersion(vault.caller, { ...itemRef(vault), version })
      await expect(call).rejects.toMatchObject({
        ...notFound('version', `${version}`),
        message: `version ${version} not found`,
      })
    },
  )

  it.each([0, -1, 1.5, Number.NaN, '1', undefined])('rejects the version %s', async (version) => {
    const vault = await createTestVault()
    const input = { ...itemRef(vault), version: version as number }
    await expect(vault.service.getVersion(vault.caller, input)).rejects.toMatchObject(invalid())
  })

  it.each<[string, (text: string) => string]>([
    ['contains another version', (text) => text.replace('"version":2', '"version":3')],
    ['contains another item', (text) => text.replace(/"id":"[^"]+"/, `"id":"${'z'.repeat(26)}"`)],
    ['is not JSON', () => 'x'],
  ])('throws DecryptionError when the record %s', async (_, corrupt) => {
    const vault = await createTestVault({ history })
    const { records } = vault.store
    const key = { collection: `versions/${vault.vaultId}`, id: `${vault.item.id}.0000000002` }
    const stored = await records.get(key)
    const text = new TextDecoder().decode(stored?.body)
    const [header, line = ''] = text.split('\n')
    await records.delete(key, 1)
    await records.put(key, { body: new TextEncoder().encode(`${header}\n${corrupt(line)}`) }, 0)
    const call = vault.service.getVersion(vault.caller, { ...itemRef(vault), version: 2 })
    await expect(call).rejects.toMatchObject({ code: 'DECRYPTION_FAILED', record: key })
  })
})

describe('listVersions', () => {
  it('returns only the current version without history', async () => {
    const vault = await createTestVault()
    const { version, updatedAt, lastEditedBy } = vault.item
    expect(await vault.service.listVersions(vault.caller, itemRef(vault))).toStrictEqual([
      { version, updatedAt, lastEditedBy },
    ])
  })

  it('returns the time and the editor of each version, newest first', async () => {
    const vault = await createTestVault({ history })
    vault.clock.advance(1000)
    const patch = [{ op: 'add', path: '/title', value: 'New' }] as const
    await vault.service.patchItem(createCaller({ id: 'wendy', vaults: '*' }), {
      ...itemRef(vault),
      patch,
    })
    const versions = await vault.service.listVersions(vault.caller, itemRef(vault))
    expect(versions.slice(0, 2)).toStrictEqual([
      { version: 4, updatedAt: '2026-01-01T00:00:01.000Z', lastEditedBy: 'wendy' },
      { version: 3, updatedAt: '2026-01-01T00:00:00.000Z', lastEditedBy: 'tester' },
    ])
  })

  it('returns all versions of one of several items', async () => {
    const vault = await createTestVault({ history: { maxVersions: 100 } })
    const { service, caller, vaultId } = vault
    const refs = [itemRef(vault)]
    for (let index = 0; index < 4; index++) {
      const { id } = await service.createItem(caller, { vaultId, item: vault.item })
      refs.push({ vaultId, itemId: id })
    }
    for (const ref of refs) {
      for (let index = 0; index < 40; index++) {
        const patch = [{ op: 'add', path: '/title', value: `${index}` }] as const
        await service.patchItem(caller, { ...ref, patch })
      }
    }
    for (const [index, ref] of refs.entries()) {
      const versions = await service.listVersions(caller, ref)
      const newest = index === 0 ? 43 : 41
      expect(versions.map(({ version }) => version)).toEqual(
        Array.from({ length: newest }, (_, offset) => newest - offset),
      )
    }
  })
})

describe('restoreVersion', () => {
  it('restores the attributes of the version as the next version', async () => {
    const vault = await createTestVault({ history })
    const { sections } = vault.item
    await replaceItem(vault, { category: 'SECURE_NOTE', vault: { id: vault.vaultId }, sections })
    vault.clock.advance(5)
    const restored = await vault.service.restoreVersion(
      createCaller({ id: 'wendy', vaults: '*' }),
      {
        ...itemRef(vault),
        version: vault.item.version,
      },
    )
    expect(restored).toStrictEqual({
      ...vault.item,
      version: 5,
      updatedAt: '2026-01-01T00:00:00.005Z',
      lastEditedBy: 'wendy',
    })
    expect(await vault.service.getItem(vault.caller, itemRef(vault))).toStrictEqual(restored)
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
    await service.patchItem(caller, { ...itemRef(vault), patch: value })
    const restored = await service.restoreVersion(caller, { ...itemRef(vault), version: 4 })
    expect(restored.fields).toStrictEqual(original.fields)
    expect(restored.fields[0]?.entropy).toBeGreaterThan(190)
  })

  it('keeps the current files', async () => {
    const vault = await createTestVault({ history })
    const restored = await vault.service.restoreVersion(vault.caller, {
      ...itemRef(vault),
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
    const { id } = await service.attachFile(caller, { ...itemRef(vault), ...file })
    const restored = await service.restoreVersion(caller, {
      ...itemRef(vault),
      version: version - 1,
    })
    expect(restored.files.slice(0, -1)).toStrictEqual(vault.item.files)
    expect(restored.files.at(-1)).toMatchObject({ id })
    expect(restored.files.at(-1)).not.toHaveProperty('section')
    expect(await service.listFiles(caller, itemRef(vault))).toStrictEqual(restored.files)
  })

  it('throws PRECONDITION_FAILED when ifVersion does not match', async () => {
    const vault = await createTestVault({ history })
    const restore = (ifVersion: number): Promise<unknown> =>
      vault.service.restoreVersion(vault.caller, { ...itemRef(vault), version: 1, ifVersion })
    await expect(restore(2)).rejects.toMatchObject(versionMismatch(vault.item.id))
    await expect(restore(3)).resolves.toMatchObject({ version: 4 })
  })

  it('throws NOT_FOUND and changes nothing when the version is not archived', async () => {
    const vault = await createTestVault()
    const ref = { ...itemRef(vault), version: 1 }
    await expect(vault.service.restoreVersion(vault.caller, ref)).rejects.toMatchObject(
      notFound('version', '1'),
    )
    expect(await vault.service.getItem(vault.caller, itemRef(vault))).toStrictEqual(vault.item)
  })
})

function replaceItem(
  vault: TestVault,
  item: ItemDraft,
): ReturnType<TestVault['service']['replaceItem']> {
  return vault.service.replaceItem(vault.caller, { ...itemRef(vault), item })
}
