import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createVaultService } from '../../src/index.js'
import { createSqliteStore, openSqliteStore } from '../../src/storage/sqlite.js'
import { blobStoreContract, createTestVault, recordStoreContract } from '../../src/testing.js'
import { itemRef } from '../support/items/refs.js'
import { encryptStore } from '../support/stores/encrypted-stores.js'
import { createDatabasePath, openNodeDatabase } from '../support/stores/sqlite.js'

describe('createEncryptedStore on SQLite', () => {
  const createStore = () => encryptStore(createSqliteStore(openNodeDatabase()))
  it.each(recordStoreContract)('records: $name', ({ run }) => run(createStore().records))
  it.each(blobStoreContract)('blobs: $name', ({ run }) => run(createStore().blobs))
})

describe('createEncryptedStore', () => {
  it('returns and restores old versions of an item, none of which is in the file in plaintext', async () => {
    const path = createDatabasePath()
    const file = await openSqliteStore(path)
    const vault = await createTestVault({ store: encryptStore(file), history: { maxVersions: 3 } })
    const { service, caller, item } = vault
    const patch = [
      { op: 'replace', path: '/fields/password/value', value: 'newer secret' },
    ] as const
    await service.patchItem(caller, { ...itemRef(vault), patch })
    const old = { ...itemRef(vault), version: item.version }
    expect(await service.getVersion(caller, old)).toStrictEqual(item)
    expect((await service.restoreVersion(caller, old)).fields).toStrictEqual(item.fields)
    await file.close()
    const bytes = readFileSync(path, 'latin1')
    for (const { value = 'none' } of [...item.fields, { value: 'newer secret' }])
      expect(bytes).not.toContain(value)
  })

  it('deletes the old versions when the item is deleted', async () => {
    const file = await openSqliteStore(createDatabasePath())
    const vault = await createTestVault({ store: encryptStore(file), history: { maxVersions: 3 } })
    await vault.service.deleteItem(vault.caller, itemRef(vault))
    expect(await file.records.list(`versions/${vault.vaultId}`, { limit: 9 })).toEqual([])
    const service = createVaultService({ store: vault.store })
    expect(await service.listItems(vault.caller, { vaultId: vault.vaultId })).toEqual([])
    await file.close()
  })
})
