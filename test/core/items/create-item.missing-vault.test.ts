import { describe, expect, it } from 'vitest'
import { createVaultService } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestVault, loginDraft } from '../../../src/testing.js'

describe('createItem: a vault whose record disappears', () => {
  it('deletes the item again when the record is removed before the item is stored', async () => {
    const inner = createMemoryStore()
    const { vaultId, caller } = await createTestVault({ store: inner })
    const items = `items/${vaultId}`
    const before = await inner.records.list(items, { limit: 9 })
    const store = {
      ...inner,
      records: {
        ...inner.records,
        put: async (...args: Parameters<typeof inner.records.put>) => {
          await inner.records.delete({ collection: 'vaults', id: vaultId }, 1)
          return inner.records.put(...args)
        },
      },
    }
    const creating = createVaultService({ store }).createItem(caller, {
      vaultId,
      item: loginDraft(vaultId),
    })
    await expect(creating).rejects.toMatchObject({ status: 404 })
    expect(await inner.records.list(items, { limit: 9 })).toEqual(before)
  })
})
