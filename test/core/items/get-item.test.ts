import { describe, expect, it } from 'vitest'
import { createCaller, createVaultService } from '../../../src/index.js'
import { createTestVault } from '../../../src/testing.js'
import { notFound } from '../../support/service/rejections.js'
import { createRecordingStore } from '../../support/stores/stores.js'

describe('getItem', () => {
  it('returns the item with its fields and files after one store call', async () => {
    const { store, vaultId, item, smallFile, largeFile } = await createTestVault()
    const recording = createRecordingStore(store)
    const service = createVaultService({ store: recording })
    const reader = createCaller({ id: 'reader', vaults: { [vaultId]: 'read' } })
    const found = await service.getItem(reader, { vaultId, itemId: item.id })
    expect(found).toStrictEqual(item)
    expect(found.files).toStrictEqual([smallFile, largeFile])
    expect(recording.calls).toEqual(['records.get'])
  })

  it('returns the result of a finished write, also of another service on the store', async () => {
    const { service, store, caller, vaultId, item } = await createTestVault()
    const other = createVaultService({ store })
    const ref = { vaultId, itemId: item.id }
    for (const title of ['A', 'B', 'C']) {
      await service.patchItem(caller, {
        ...ref,
        patch: [{ op: 'add', path: '/title', value: title }],
      })
      expect(await other.getItem(caller, ref)).toMatchObject({ title })
    }
  })

  it('rejects with the id of the item or vault that does not exist', async () => {
    const { service, caller, vaultId, item } = await createTestVault()
    const absent = 'z'.repeat(26)
    const get = (ref: { vaultId: string; itemId: string }) => service.getItem(caller, ref)
    await expect(get({ vaultId, itemId: absent })).rejects.toMatchObject({
      ...notFound('item', absent),
      resource: 'item',
      id: absent,
    })
    await expect(get({ vaultId: absent, itemId: item.id })).rejects.toMatchObject({
      ...notFound('vault', absent),
      resource: 'vault',
      id: absent,
    })
  })
})
