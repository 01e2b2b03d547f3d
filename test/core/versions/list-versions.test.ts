import { describe, expect, it } from 'vitest'
import { createCaller } from '../../../src/index.js'
import { createTestVault } from '../../../src/testing.js'
import { itemPlace } from '../../support/items/refs.js'

describe('listVersions', () => {
  it('returns only the current version without history', async () => {
    const vault = await createTestVault()
    const { version, updatedAt, lastEditedBy } = vault.item
    expect(await vault.service.listVersions(vault.caller, itemPlace(vault))).toStrictEqual([
      { version, updatedAt, lastEditedBy },
    ])
  })

  it('returns the time and the editor of each version, newest first', async () => {
    const vault = await createTestVault({ history: { maxVersions: 5 } })
    vault.clock.advance(1000)
    const patch = [{ op: 'add', path: '/title', value: 'New' }] as const
    await vault.service.patchItem(createCaller('wendy', '*'), { ...itemPlace(vault), patch })
    const versions = await vault.service.listVersions(vault.caller, itemPlace(vault))
    expect(versions.slice(0, 2)).toStrictEqual([
      { version: 4, updatedAt: '2026-01-01T00:00:01.000Z', lastEditedBy: 'wendy' },
      { version: 3, updatedAt: '2026-01-01T00:00:00.000Z', lastEditedBy: 'tester' },
    ])
  })

  it('returns all versions of one of several items', async () => {
    const vault = await createTestVault({ history: { maxVersions: 100 } })
    const { service, caller, vaultId } = vault
    const refs = [itemPlace(vault)]
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
