import { describe, expect, it } from 'vitest'
import { createCallerOfExistingVaults } from '../../../src/command/serve/existing-vaults.js'
import { createVaultService } from '../../../src/index.js'
import { createFaultyStore, createTestVault } from '../../../src/testing.js'

const missing = 'm'.repeat(26)

describe('createCallerOfExistingVaults', () => {
  it('creates a caller with every permission on the vaults that exist', async () => {
    const { service, store, vaultId } = await createTestVault()
    const caller = createCallerOfExistingVaults('serve', createVaultService({ store }))
    const item = { category: 'LOGIN', vault: { id: vaultId } } as const
    expect(await service.createItem(caller, { vaultId, item })).toMatchObject({ version: 1 })
    const rejected = { status: 403, message: `vault ${missing} is not in scope` }
    await expect(service.listItems(caller, { vaultId: missing })).rejects.toMatchObject(rejected)
    const listed = await service.listVaults(caller)
    expect(listed.map(({ id }) => id)).toContain(vaultId)
  })

  it('creates a caller who can create vaults, also with an id of their choice', async () => {
    const { service, store } = await createTestVault()
    const caller = createCallerOfExistingVaults('serve', createVaultService({ store }))
    expect(await service.createVault(caller, { name: 'New' })).toMatchObject({ name: 'New' })
    const chosen = { vaultId: missing, name: 'Chosen' }
    expect(await service.createVault(caller, chosen)).toMatchObject({ id: missing })
    expect(await service.listItems(caller, { vaultId: missing })).toEqual([])
  })

  it('creates a caller whose checks fail when the store fails', async () => {
    const { store, vaultId } = await createTestVault()
    const failing = createFaultyStore(store, () => 'fail-before')
    const caller = createCallerOfExistingVaults('s', createVaultService({ store: failing }))
    await expect(caller.can('read', vaultId)).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
  })
})
