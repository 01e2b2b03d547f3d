import { describe, expect, it } from 'vitest'
import {
  createVaultService,
  type Item,
  type ItemState,
  type SetItemStateInput,
} from '../../../src/index.js'
import { createFaultyStore, createTestVault, type TestVault } from '../../../src/testing.js'
import { fileRef, getCurrentItem, itemRef } from '../../support/items/refs.js'
import { conflict, invalid, notFound, versionMismatch } from '../../support/service/rejections.js'
import { createInterruptedStore } from '../../support/stores/interrupted-store.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const states = [undefined, 'ARCHIVED', 'DELETED'] as const
const transitions = states.flatMap((from) => states.map((to) => [from, to] as const))

describe('setItemState', () => {
  it.each(transitions.filter(([from, to]) => from !== to))(
    'changes the state from %s to %s and returns the next version',
    async (from, to) => {
      const vault = await createTestVault()
      const { version } = await setState(vault, from)
      vault.clock.advance(5000)
      const item = await setState(vault, to)
      const { state: _, ...rest } = vault.item
      expect(item).toStrictEqual({
        ...rest,
        ...(to && { state: to }),
        version: version + 1,
        updatedAt: vault.clock().toISOString(),
        lastEditedBy: 'tester',
      })
    },
  )

  it.each(states)(
    'returns an item that already has the state %s and writes nothing',
    async (state) => {
      const vault = await createTestVault()
      const before = await setState(vault, state)
      const store = createRecordingStore(vault.store)
      const service = createVaultService({ store })
      expect(await setState({ ...vault, service }, state)).toStrictEqual(before)
      expect(store.calls).toEqual(['records.get'])
    },
  )

  it.each(states)('keeps the order of the members of an item with the state %s', async (to) => {
    const vault = await createTestVault()
    await setState(vault, 'DELETED')
    await setState(vault, 'ARCHIVED')
    const item = await setState(vault, to)
    if (to === 'DELETED') await expect(getCurrentItem(vault)).rejects.toMatchObject({ status: 404 })
    else expect(JSON.stringify(await getCurrentItem(vault))).toBe(JSON.stringify(item))
  })

  it('hides a deleted item with its files and restores both', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId, item } = vault
    const file = { ...fileRef(vault), inlineFiles: true }
    const details = await service.getFileDetails(caller, file)
    await setState(vault, 'DELETED')
    await expect(service.getItem(caller, itemRef(vault))).rejects.toMatchObject(
      notFound('item', item.id),
    )
    await expect(service.getFileDetails(caller, file)).rejects.toMatchObject(
      notFound('file', file.fileId),
    )
    expect(await service.listItems(caller, { vaultId })).toEqual([])
    await setState(vault, undefined)
    expect(await service.getFileDetails(caller, file)).toStrictEqual(details)
    expect(await service.listItems(caller, { vaultId })).toMatchObject([{ id: item.id }])
  })

  it('allows changes again after an archived item is restored', async () => {
    const vault = await createTestVault()
    const { service, caller } = vault
    const patch = [{ op: 'add', path: '/title', value: 'New' }] as const
    await setState(vault, 'ARCHIVED')
    await expect(service.patchItem(caller, { ...itemRef(vault), patch })).rejects.toMatchObject(
      invalid('an archived item cannot be changed'),
    )
    await setState(vault, undefined)
    expect(await service.patchItem(caller, { ...itemRef(vault), patch })).toMatchObject({
      title: 'New',
    })
  })

  it.each(transitions)(
    'rejects another `ifVersion`, also when nothing changes: %s to %s',
    async (from, to) => {
      const vault = await createTestVault()
      const { version } = await setState(vault, from)
      for (const stale of [0, version - 1, version + 1]) {
        await expect(setState(vault, to, stale)).rejects.toMatchObject(
          versionMismatch(vault.item.id),
        )
      }
      expect(await setState(vault, to, version)).toMatchObject({
        version: version + (from === to ? 0 : 1),
      })
    },
  )

  it.each(['archived', 'active', '', 7])('rejects the state %j', async (state) => {
    const vault = await createTestVault()
    await expect(setState(vault, state as ItemState)).rejects.toMatchObject(invalid())
    expect(await getCurrentItem(vault)).toStrictEqual(vault.item)
  })

  it.each(states)('makes an item active again with ACTIVE when its state is %s', async (from) => {
    const vault = await createTestVault()
    const before = await setState(vault, from)
    const item = await setState(vault, 'ACTIVE')
    expect(item).not.toHaveProperty('state')
    expect(item.version).toBe(before.version + (from === undefined ? 0 : 1))
    expect(await getCurrentItem(vault)).toStrictEqual(item)
  })

  it('accepts null as no state', async () => {
    const vault = await createTestVault()
    expect(await setState(vault, null)).toStrictEqual(vault.item)
    await setState(vault, 'DELETED')
    expect(await setState(vault, null)).not.toHaveProperty('state')
  })

  it('rejects an item that does not exist', async () => {
    const vault = await createTestVault()
    const item = { ...vault.item, id: 'b'.repeat(26) }
    await expect(setState({ ...vault, item }, 'ARCHIVED')).rejects.toMatchObject(
      notFound('item', item.id),
    )
  })

  it('keeps the change of a concurrent writer', async () => {
    const vault = await createTestVault()
    const { service, caller } = vault
    const patch = [{ op: 'add', path: '/tags/-', value: 'theirs' }] as const
    const store = createInterruptedStore(vault.store, 'items', 'before', () =>
      service.patchItem(caller, { ...itemRef(vault), patch }),
    )
    const item = await setState({ ...vault, service: createVaultService({ store }) }, 'ARCHIVED')
    expect(item).toMatchObject({ state: 'ARCHIVED', version: vault.item.version + 2 })
    expect(item.tags).toContain('theirs')
  })

  it('rejects with 409 after a bounded number of write conflicts', async () => {
    const vault = await createTestVault()
    const store = createFaultyStore(vault.store, ({ method }) =>
      method === 'put' ? 'conflict' : undefined,
    )
    const service = createVaultService({ store, retry: { sleep: async () => {} } })
    const change = setState({ ...vault, service }, 'ARCHIVED')
    await expect(change).rejects.toMatchObject(conflict)
  })

  it('keeps the earlier versions when a history is configured', async () => {
    const vault = await createTestVault({ history: { maxVersions: 9 } })
    const { service, caller, item } = vault
    await setState(vault, 'ARCHIVED')
    await setState(vault, 'DELETED')
    await setState(vault, undefined)
    const stateAt = async (step: number): Promise<ItemState | undefined> =>
      (await service.getVersion(caller, { ...itemRef(vault), version: item.version + step })).state
    expect([await stateAt(0), await stateAt(1), await stateAt(2), await stateAt(3)]).toEqual([
      undefined,
      'ARCHIVED',
      'DELETED',
      undefined,
    ])
  })
})

function setState(
  vault: TestVault,
  state: SetItemStateInput['state'],
  ifVersion?: number,
): Promise<Item> {
  return vault.service.setItemState(vault.caller, { ...itemRef(vault), state, ifVersion })
}
