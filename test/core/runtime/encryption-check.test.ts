import { describe, expect, it } from 'vitest'
import { undecryptableError } from '../../../src/base/fixed-errors.js'
import {
  createCaller,
  createVaultService,
  type RecordStore,
  type VaultStore,
} from '../../../src/index.js'
import { createEncryptedStore } from '../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createFaultyStore } from '../../../src/testing.js'
import { noteDraft } from '../../support/drafts.js'
import { createKeys } from '../../support/stores/encrypted-stores.js'

const caller = createCaller({ id: 'wendy', vaults: '*' })
const vaultId = 'acme'.padEnd(26, 'e')
const encrypted = {
  code: 'STORAGE_FAILED',
  message: expect.stringContaining('createEncryptedStore'),
}

/** Returns an inner store with a vault and an item that another process has encrypted. */
async function createEncrypted(keyRings?: RecordStore): Promise<VaultStore> {
  const inner = createMemoryStore()
  const store = createEncryptedStore(inner, { keys: createKeys(), ...(keyRings && { keyRings }) })
  const service = createVaultService({ store })
  await service.createVault(caller, { vaultId, name: 'Acme' })
  await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
  return inner
}

/** Adds the lists that a service makes before its calls to `lists`. */
function countLists({ records, blobs }: VaultStore, lists: string[]): VaultStore {
  const list: RecordStore['list'] = (collection, query) => {
    lists.push(`${collection} ${query.limit}`)
    return records.list(collection, query)
  }
  return { records: { ...records, list }, blobs }
}

describe('createEncryptionCheck', () => {
  it.each([
    ['beside the records', undefined],
    ['in a store of their own', createMemoryStore().records],
  ])('refuses an encrypted store without its key, with rings %s', async (_, keyRings) => {
    const store = await createEncrypted(keyRings)
    const before = await store.records.list(`items/${vaultId}`, { limit: 9 })
    const service = createVaultService({ store })
    for (const call of [
      () => service.listVaults(caller),
      () => service.createVault(caller, { name: 'Plain' }),
      () => service.createItem(caller, { vaultId, item: noteDraft(vaultId) }),
      () => service.checkHealth(),
    ])
      await expect(call()).rejects.toMatchObject(encrypted)
    expect(await store.records.list(`items/${vaultId}`, { limit: 9 })).toEqual(before)
    expect(await store.records.list('vaults', { limit: 9 })).toHaveLength(1)
  })

  it('refuses what would be stored in plaintext when the store was encrypted after the first call', async () => {
    const inner = createMemoryStore()
    const plain = createVaultService({ store: inner })
    expect(await plain.listVaults(caller)).toEqual([])
    const store = createEncryptedStore(inner, { keys: createKeys() })
    await createVaultService({ store }).createVault(caller, { vaultId, name: 'Acme' })
    for (const call of [
      () => plain.createItem(caller, { vaultId, item: noteDraft(vaultId) }),
      () => plain.createVault(caller, { name: 'Plain' }),
      () => plain.updateVault(caller, { vaultId, name: 'Plain' }),
      () => plain.deleteVault(caller, { vaultId }),
      () => plain.checkHealth(),
    ])
      await expect(call()).rejects.toMatchObject(encrypted)
    expect(await inner.records.list(`items/${vaultId}`, { limit: 9 })).toEqual([])
    expect(await createVaultService({ store }).listVaults(caller)).toHaveLength(1)
  })

  it('looks once for all calls, and not before the permission', async () => {
    const lists: string[] = []
    const inner = createMemoryStore()
    await createVaultService({ store: inner }).createVault(caller, { vaultId, name: 'Acme' })
    const service = createVaultService({ store: countLists(inner, lists) })
    const outsider = createCaller({ id: 'outsider', vaults: {} })
    await expect(service.getVault(outsider, { vaultId })).rejects.toMatchObject({ status: 403 })
    expect(lists).toEqual([])
    await Promise.all([1, 2, 3].map(() => service.getVault(caller, { vaultId })))
    await service.getVault(caller, { vaultId })
    expect(lists).toEqual(['keys 1', 'vaults 1'])
  })

  it('looks again when the store failed, and then works', async () => {
    let isDown = true
    const store = createFaultyStore(createMemoryStore(), () => (isDown ? 'fail-before' : undefined))
    const service = createVaultService({ store })
    await expect(service.listVaults(caller)).rejects.toMatchObject({ status: 500 })
    isDown = false
    expect(await service.listVaults(caller)).toEqual([])
  })

  it.each([
    ['a record that cannot be decrypted', undecryptableError(), 1],
    ['a key that cannot be obtained', new Error('denied'), 2],
  ])('lets other calls proceed beside %s', async (_, error, looks) => {
    const inner = createMemoryStore()
    await createVaultService({ store: inner }).createVault(caller, { vaultId, name: 'Acme' })
    let count = 0
    const list: RecordStore['list'] = async (collection, query) => {
      if (collection !== 'vaults') return inner.records.list(collection, query)
      count++
      throw error
    }
    const service = createVaultService({ store: { ...inner, records: { ...inner.records, list } } })
    for (let call = 0; call < 2; call++)
      expect(await service.getVault(caller, { vaultId })).toMatchObject({ name: 'Acme' })
    expect(count).toBe(looks)
  })
})
