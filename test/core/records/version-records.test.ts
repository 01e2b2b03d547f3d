import { describe, expect, it } from 'vitest'
import {
  createVaultService,
  type Item,
  type VaultService,
  type VaultStore,
} from '../../../src/index.js'
import { createFaultyStore, createTestVault, type TestVault } from '../../../src/testing.js'
import { itemRef } from '../../support/items/refs.js'
import { notFound } from '../../support/service/rejections.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const keepTwo = { history: { maxVersions: 2 } }

describe('withArchivedVersion', () => {
  describe('with history.maxVersions', () => {
    it('archives the version that any change replaces', async () => {
      const vault = await createTestVault({ history: { maxVersions: 9 } })
      const { service, caller, item } = vault
      await service.replaceItem(caller, { ...itemRef(vault), item: { ...item, title: 'Second' } })
      await service.attachFile(caller, {
        ...itemRef(vault),
        name: 'f',
        content: new Uint8Array(1),
      })
      await retitle(vault, 'Third')
      expect(await listVersionNumbers(vault)).toEqual([6, 5, 4, 3, 2, 1])
      const old = await versionAt(vault, item.version)
      expect(old).toStrictEqual(item)
    })

    it('keeps the newest maxVersions old versions', async () => {
      const vault = await createTestVault(keepTwo)
      for (const title of ['a', 'b', 'c']) await retitle(vault, title)
      expect(await listVersionNumbers(vault)).toEqual([6, 5, 4])
      expect(await versionRecordsOf(vault)).toHaveLength(2)
    })

    it('prunes old versions in steps after maxVersions was lowered', async () => {
      const vault = await createTestVault({ history: { maxVersions: 30 } })
      for (let index = 0; index < 20; index++) await retitle(vault, `${index}`)
      const service = createVaultService({ store: vault.store, history: { maxVersions: 1 } })
      const counts = []
      for (let index = 0; index < 4; index++) {
        await retitle({ ...vault, service }, `more ${index}`)
        counts.push((await versionRecordsOf(vault)).length)
      }
      expect(counts).toEqual([15, 8, 1, 1])
      expect(await listVersionNumbers(vault)).toEqual([27, 26])
    })

    it('removes all versions of a deleted item and none of other items', async () => {
      const vault = await createTestVault(keepTwo)
      const { service, caller, vaultId } = vault
      const other = await service.createItem(caller, { vaultId, item: vault.item })
      await retitle({ ...vault, item: other }, 'changed')
      await retitle(vault, 'changed')
      await service.deleteItem(caller, itemRef(vault))
      expect((await versionRecordsOf(vault)).map(({ id }) => id)).toEqual([
        `${other.id}.0000000001`,
      ])
      await expect(versionAt(vault, 1)).rejects.toMatchObject(notFound('item', vault.item.id))
    })

    it.each(['items', 'versions'])(
      'leaves no versions when the item is deleted just before a put in %s',
      async (prefix) => {
        const vault = await createTestVault()
        let deleted = false
        const interruptedStore = {
          ...vault.store,
          records: {
            ...vault.store.records,
            put: async (
              ...[key, record, expectedVersion]: Parameters<VaultStore['records']['put']>
            ) => {
              if (key.collection.startsWith(`${prefix}/`) && !deleted) {
                deleted = true
                await vault.service.deleteItem(vault.caller, itemRef(vault))
              }
              return vault.store.records.put(key, record, expectedVersion)
            },
          },
        }
        const service = createVaultService({ store: interruptedStore, ...keepTwo })
        await expect(retitle({ ...vault, service }, 'x')).rejects.toMatchObject({
          code: 'NOT_FOUND',
        })
        expect(deleted).toBe(true)
        expect(await versionRecordsOf(vault)).toEqual([])
      },
    )

    it('keeps maxVersions old versions of every item after every change', async () => {
      const vault = await createTestVault({ history: { maxVersions: 1 } })
      const { service, caller, vaultId } = vault
      const items = [vault.item]
      for (let index = 0; index < 9; index++)
        items.push(await service.createItem(caller, { vaultId, item: vault.item }))
      for (let change = 1; change <= 3; change++) {
        for (const item of items) await retitle({ ...vault, item }, `${change}`)
        expect(await versionRecordsOf(vault)).toHaveLength(items.length)
      }
      for (const item of items) expect(await listVersionNumbers({ ...vault, item })).toHaveLength(2)
    })

    it('archives the version that a retried change replaced', async () => {
      const vault = await createTestVault(keepTwo)
      let interrupted = false
      const store = {
        ...vault.store,
        records: {
          ...vault.store.records,
          put: async (
            ...[key, record, expectedVersion]: Parameters<VaultStore['records']['put']>
          ) => {
            if (key.collection.startsWith('items/') && !interrupted) {
              interrupted = true
              await retitle(vault, 'first')
            }
            return vault.store.records.put(key, record, expectedVersion)
          },
        },
      }
      const service = createVaultService({ store, ...keepTwo })
      await retitle({ ...vault, service }, 'second')
      expect((await versionAt(vault, 5)).title).toBe('second')
      expect((await versionAt(vault, 4)).title).toBe('first')
      expect(await versionAt(vault, 3)).toStrictEqual(vault.item)
    })

    it('does not change the item when its version cannot be archived', async () => {
      const vault = await createTestVault()
      const store = createFaultyStore(vault.store, ({ method }) =>
        method === 'put' ? 'fail-before' : undefined,
      )
      const service = createVaultService({ store, ...keepTwo })
      await expect(retitle({ ...vault, service }, 'x')).rejects.toMatchObject({ status: 500 })
      expect(await vault.service.getItem(vault.caller, itemRef(vault))).toStrictEqual(vault.item)
    })

    it('changes the item when old versions cannot be removed', async () => {
      const vault = await createTestVault(keepTwo)
      for (const title of ['a', 'b']) await retitle(vault, title)
      const store = createFaultyStore(vault.store, ({ method }) =>
        method === 'delete' ? 'fail-before' : undefined,
      )
      const service = createVaultService({ store, ...keepTwo })
      expect((await retitle({ ...vault, service }, 'c')).title).toBe('c')
      expect(await versionRecordsOf(vault)).toHaveLength(3)
    })
  })

  describe('without history', () => {
    it('changes an item with one get and one put', async () => {
      const vault = await createTestVault()
      const store = createRecordingStore(vault.store)
      await retitle({ ...vault, service: createVaultService({ store }) }, 'x')
      expect(store.calls).toEqual(['records.get', 'records.put'])
      expect(await versionRecordsOf(vault)).toEqual([])
    })
  })

  describe('with an invalid history.maxVersions', () => {
    it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
      'throws RangeError for %s',
      (value) => {
        const create = (): unknown =>
          createVaultService({ store: createRecordingStore(), history: { maxVersions: value } })
        expect(create).toThrow(
          new RangeError('options.history.maxVersions must be a whole number of 0 or more'),
        )
      },
    )
  })
})

function retitle(
  vault: Pick<TestVault, 'caller' | 'vaultId' | 'item'> & { service: VaultService },
  title: string,
): Promise<Item> {
  const patch = [{ op: 'add', path: '/title', value: title }] as const
  return vault.service.patchItem(vault.caller, { ...itemRef(vault), patch })
}

async function listVersionNumbers(vault: TestVault): Promise<number[]> {
  const versions = await vault.service.listVersions(vault.caller, itemRef(vault))
  return versions.map(({ version }) => version)
}

function versionAt(vault: TestVault, version: number): Promise<Item> {
  return vault.service.getVersion(vault.caller, { ...itemRef(vault), version })
}

function versionRecordsOf({
  store,
  vaultId,
}: TestVault): ReturnType<VaultStore['records']['list']> {
  return store.records.list(`versions/${vaultId}`, { limit: 100 })
}
