import { describe, expect, it } from 'vitest'
import {
  createVaultService,
  type Item,
  type VaultService,
  type VaultStore,
} from '../../../src/index.js'
import { createFaultyStore, createTestVault, type TestVault } from '../../../src/testing.js'
import { itemPlace } from '../../support/items/refs.js'
import { notFound } from '../../support/service/rejections.js'
import { recordingStore } from '../../support/stores/stores.js'

const keepTwo = { history: { maxVersions: 2 } }

describe('an item whose history is kept', () => {
  it('leaves each version that a change replaces, whatever changes it', async () => {
    const vault = await createTestVault({ history: { maxVersions: 9 } })
    const { service, caller, item } = vault
    await service.replaceItem(caller, { ...itemPlace(vault), item: { ...item, title: 'Second' } })
    await service.attachFile(caller, { ...itemPlace(vault), name: 'f', content: new Uint8Array(1) })
    await retitle(vault, 'Third')
    expect(await versionsOf(vault)).toEqual([6, 5, 4, 3, 2, 1])
    const old = await versionAt(vault, item.version)
    expect(old).toStrictEqual(item)
  })

  it('has as many old versions as the option says, the newest', async () => {
    const vault = await createTestVault(keepTwo)
    for (const title of ['a', 'b', 'c']) await retitle(vault, title)
    expect(await versionsOf(vault)).toEqual([6, 5, 4])
    expect(await recordsOfVersions(vault)).toHaveLength(2)
  })

  it('loses what is too much, bit by bit, after the option was lowered', async () => {
    const vault = await createTestVault({ history: { maxVersions: 30 } })
    for (let index = 0; index < 20; index++) await retitle(vault, `${index}`)
    const service = createVaultService({ store: vault.store, history: { maxVersions: 1 } })
    const left = []
    for (let index = 0; index < 4; index++) {
      await retitle({ ...vault, service }, `more ${index}`)
      left.push((await recordsOfVersions(vault)).length)
    }
    expect(left).toEqual([15, 8, 1, 1])
    expect(await versionsOf(vault)).toEqual([27, 26])
  })

  it('leaves nothing when it is deleted, and nothing of other items is lost', async () => {
    const vault = await createTestVault(keepTwo)
    const { service, caller, vaultId } = vault
    const other = await service.createItem(caller, { vaultId, item: vault.item })
    await retitle({ ...vault, item: other }, 'changed')
    await retitle(vault, 'changed')
    await service.deleteItem(caller, itemPlace(vault))
    expect((await recordsOfVersions(vault)).map(({ id }) => id)).toEqual([`${other.id}.0000000001`])
    await expect(versionAt(vault, 1)).rejects.toMatchObject(notFound('item', vault.item.id))
  })

  it.each(['items', 'versions'])(
    'leaves nothing though it is deleted just before a put among the %s',
    async (half) => {
      const vault = await createTestVault()
      let deleted = false
      const late = {
        ...vault.store,
        records: {
          ...vault.store.records,
          put: async (...[key, record, seen]: Parameters<VaultStore['records']['put']>) => {
            if (key.collection.startsWith(`${half}/`) && !deleted) {
              deleted = true
              await vault.service.deleteItem(vault.caller, itemPlace(vault))
            }
            return vault.store.records.put(key, record, seen)
          },
        },
      }
      const service = createVaultService({ store: late, ...keepTwo })
      await expect(retitle({ ...vault, service }, 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(deleted).toBe(true)
      expect(await recordsOfVersions(vault)).toEqual([])
    },
  )

  it('has as many old versions as the option says after every change, beside other items', async () => {
    const vault = await createTestVault({ history: { maxVersions: 1 } })
    const { service, caller, vaultId } = vault
    const items = [vault.item]
    for (let index = 0; index < 9; index++)
      items.push(await service.createItem(caller, { vaultId, item: vault.item }))
    for (let change = 1; change <= 3; change++) {
      for (const item of items) await retitle({ ...vault, item }, `${change}`)
      expect(await recordsOfVersions(vault)).toHaveLength(items.length)
    }
    for (const item of items) expect(await versionsOf({ ...vault, item })).toHaveLength(2)
  })

  it('has the version that a change really replaced, though the change lost a race', async () => {
    const vault = await createTestVault(keepTwo)
    let lost = false
    const store = {
      ...vault.store,
      records: {
        ...vault.store.records,
        put: async (...[key, record, seen]: Parameters<VaultStore['records']['put']>) => {
          if (key.collection.startsWith('items/') && !lost) {
            lost = true
            await retitle(vault, 'first')
          }
          return vault.store.records.put(key, record, seen)
        },
      },
    }
    const service = createVaultService({ store, ...keepTwo })
    await retitle({ ...vault, service }, 'second')
    expect((await versionAt(vault, 5)).title).toBe('second')
    expect((await versionAt(vault, 4)).title).toBe('first')
    expect(await versionAt(vault, 3)).toStrictEqual(vault.item)
  })

  it('is not changed when its version cannot be kept', async () => {
    const vault = await createTestVault()
    const store = createFaultyStore(vault.store, ({ method }) =>
      method === 'put' ? 'fail-before' : undefined,
    )
    const service = createVaultService({ store, ...keepTwo })
    await expect(retitle({ ...vault, service }, 'x')).rejects.toMatchObject({ status: 500 })
    expect(await vault.service.getItem(vault.caller, itemPlace(vault))).toStrictEqual(vault.item)
  })

  it('is changed though old versions cannot be removed', async () => {
    const vault = await createTestVault(keepTwo)
    for (const title of ['a', 'b']) await retitle(vault, title)
    const store = createFaultyStore(vault.store, ({ method }) =>
      method === 'delete' ? 'fail-before' : undefined,
    )
    const service = createVaultService({ store, ...keepTwo })
    expect((await retitle({ ...vault, service }, 'c')).title).toBe('c')
    expect(await recordsOfVersions(vault)).toHaveLength(3)
  })
})

describe('an item whose history is not kept', () => {
  it('costs one get and one put to change', async () => {
    const vault = await createTestVault()
    const store = recordingStore(vault.store)
    await retitle({ ...vault, service: createVaultService({ store }) }, 'x')
    expect(store.calls).toEqual(['records.get', 'records.put'])
    expect(await recordsOfVersions(vault)).toEqual([])
  })
})

describe('the option history', () => {
  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('is a whole number, not %s', (keep) => {
    const create = (): unknown =>
      createVaultService({ store: recordingStore(), history: { maxVersions: keep } })
    expect(create).toThrow(new RangeError('history.maxVersions must be a whole number, 0 or more'))
  })
})

function retitle(
  vault: Pick<TestVault, 'caller' | 'vaultId' | 'item'> & { service: VaultService },
  title: string,
): Promise<Item> {
  const patch = [{ op: 'add', path: '/title', value: title }] as const
  return vault.service.patchItem(vault.caller, { ...itemPlace(vault), patch })
}

async function versionsOf(vault: TestVault): Promise<number[]> {
  const versions = await vault.service.listVersions(vault.caller, itemPlace(vault))
  return versions.map(({ version }) => version)
}

function versionAt(vault: TestVault, version: number): Promise<Item> {
  return vault.service.getVersion(vault.caller, { ...itemPlace(vault), version })
}

function recordsOfVersions({
  store,
  vaultId,
}: TestVault): ReturnType<VaultStore['records']['list']> {
  return store.records.list(`versions/${vaultId}`, { limit: 100 })
}
