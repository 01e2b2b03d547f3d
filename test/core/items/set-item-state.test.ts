import { describe, expect, it } from 'vitest'
import { createVaultService, type Item, type SetItemStateInput } from '../../../src/index.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { fileRef, getCurrentItem, itemRef } from '../../support/items/refs.js'
import { versionMismatch } from '../../support/service/rejections.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const states = [undefined, 'ARCHIVED', 'DELETED'] as const
const inputs = [...states, 'ACTIVE', null] as const
const transitions = states.flatMap((from) => inputs.map((to) => [from, to] as const))

describe('setItemState', () => {
  it.each(transitions)(
    'changes the state %s to %s, or writes nothing when it is the same',
    async (from, to) => {
      const vault = await createTestVault()
      const before = await setState(vault, from)
      vault.clock.advance(5000)
      const store = createRecordingStore(vault.store)
      const service = createVaultService({ store, now: vault.clock })
      const item = await setState({ ...vault, service }, to)
      const state = to === 'ACTIVE' || to === null ? undefined : to
      if (state === from) {
        expect(item).toStrictEqual(before)
        expect(store.calls).toEqual(['records.get'])
        return
      }
      expect(item).toStrictEqual({
        ...vault.item,
        ...(state && { state }),
        version: before.version + 1,
        updatedAt: vault.clock().toISOString(),
        lastEditedBy: 'tester',
      })
      const names = Object.keys(vault.item)
      const position = names.indexOf('version')
      expect(Object.keys(item)).toEqual(state ? names.toSpliced(position, 0, 'state') : names)
      if (state !== 'DELETED') expect(await getCurrentItem(vault)).toStrictEqual(item)
    },
  )

  it('keeps the files of an item that is deleted and restored', async () => {
    const vault = await createTestVault()
    const file = { ...fileRef(vault), inlineFiles: true }
    const details = await vault.service.getFileDetails(vault.caller, file)
    await setState(vault, 'DELETED')
    await setState(vault, undefined)
    expect(await vault.service.getFileDetails(vault.caller, file)).toStrictEqual(details)
  })

  it.each([undefined, 'ARCHIVED'] as const)(
    'rejects another `ifVersion`, also when nothing changes: %s',
    async (to) => {
      const vault = await createTestVault()
      const { id, version } = vault.item
      for (const stale of [0, version - 1, version + 1])
        await expect(setState(vault, to, stale)).rejects.toMatchObject(versionMismatch(id))
      expect(await setState(vault, to, version)).toMatchObject({
        version: version + (to === undefined ? 0 : 1),
      })
    },
  )

  it('keeps the earlier versions when a history is configured', async () => {
    const vault = await createTestVault({ history: { maxVersions: 9 } })
    const { service, caller, item } = vault
    for (const state of ['ARCHIVED', 'DELETED', undefined] as const) await setState(vault, state)
    const kept = [0, 1, 2, 3].map(async (step) => {
      const ref = { ...itemRef(vault), version: item.version + step }
      return (await service.getVersion(caller, ref)).state
    })
    expect(await Promise.all(kept)).toEqual([undefined, 'ARCHIVED', 'DELETED', undefined])
  })
})

function setState(
  vault: TestVault,
  state: SetItemStateInput['state'],
  ifVersion?: number,
): Promise<Item> {
  return vault.service.setItemState(vault.caller, { ...itemRef(vault), state, ifVersion })
}
