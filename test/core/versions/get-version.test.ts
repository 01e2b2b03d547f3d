import { describe, expect, it } from 'vitest'
import { createTestVault } from '../../../src/testing.js'
import { itemPlace } from '../../support/items/refs.js'
import { invalid, notFound, storageFailed } from '../../support/service/rejections.js'

const history = { maxVersions: 5 }

describe('getVersion', () => {
  it('returns the item for its current version', async () => {
    const vault = await createTestVault()
    const { version } = vault.item
    const ref = { ...itemPlace(vault), version }
    expect(await vault.service.getVersion(vault.caller, ref)).toStrictEqual(vault.item)
  })

  it.each([2, 4, 99, 10_000_000_000])(
    'throws NOT_FOUND for the missing version %i',
    async (version) => {
      const vault = await createTestVault()
      const call = vault.service.getVersion(vault.caller, { ...itemPlace(vault), version })
      await expect(call).rejects.toMatchObject({
        ...notFound('version', `${version}`),
        message: `version ${version} not found`,
      })
    },
  )

  it.each([0, -1, 1.5, Number.NaN, '1', undefined])('rejects the version %s', async (version) => {
    const vault = await createTestVault()
    const input = { ...itemPlace(vault), version: version as number }
    await expect(vault.service.getVersion(vault.caller, input)).rejects.toMatchObject(invalid())
  })

  it.each<[string, (text: string) => string]>([
    ['contains another version', (text) => text.replace('"version":2', '"version":3')],
    ['contains another item', (text) => text.replace(/"id":"[^"]+"/, `"id":"${'z'.repeat(26)}"`)],
    ['is not JSON', () => 'x'],
  ])('throws StorageError when the record %s', async (_, corrupt) => {
    const vault = await createTestVault({ history })
    const { records } = vault.store
    const key = { collection: `versions/${vault.vaultId}`, id: `${vault.item.id}.0000000002` }
    const stored = await records.get(key)
    const text = new TextDecoder().decode(stored?.body)
    const [header, line = ''] = text.split('\n')
    await records.delete(key, 1)
    await records.put(key, { body: new TextEncoder().encode(`${header}\n${corrupt(line)}`) }, 0)
    const call = vault.service.getVersion(vault.caller, { ...itemPlace(vault), version: 2 })
    await expect(call).rejects.toMatchObject(storageFailed)
  })
})
