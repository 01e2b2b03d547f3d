import { describe, expect, it } from 'vitest'
import { createVaultService, type UpdateVaultInput, type Vault } from '../../../src/index.js'
import { createFaultyStore, createTestVault, type TestVault } from '../../../src/testing.js'
import { conflict, storageFailed } from '../../support/service/rejections.js'
import { createRecordingStore } from '../../support/stores/stores.js'

type Changes = Omit<UpdateVaultInput, 'vaultId'>

describe('updateVault', () => {
  it('returns the vault with its new name and description as its next version', async () => {
    const vault = await createTestVault()
    const before = await vaultNow(vault)
    vault.clock.advance(5000)
    const after = await update(vault, { name: 'New', description: 'About it' })
    expect(after).toStrictEqual({
      ...before,
      name: 'New',
      description: 'About it',
      attributeVersion: 2,
      updatedAt: vault.clock().toISOString(),
    })
    expect(await vaultNow(vault)).toStrictEqual(after)
  })

  it('keeps attributes that are not given', async () => {
    const vault = await createTestVault()
    await update(vault, { description: 'About it' })
    expect(await update(vault, { name: 'New' })).toMatchObject({ description: 'About it' })
    expect(await update(vault, { description: 'Else' })).toMatchObject({ name: 'New' })
    expect(await update(vault, { description: '' })).toMatchObject({ description: '' })
  })

  it('removes the description when it is null', async () => {
    const vault = await createTestVault()
    await update(vault, { description: 'About it' })
    const after = await update(vault, { description: null })
    expect(after).not.toHaveProperty('description')
    expect(after.attributeVersion).toBe(3)
  })

  it.each<[string, Changes]>([
    ['no attribute is given', {}],
    ['the name is unchanged', { name: 'Test' }],
    ['the name is undefined', { name: undefined, description: undefined }],
    ['there is no description to remove', { description: null }],
  ])('returns the vault and writes nothing when %s', async (_, changes) => {
    const vault = await createTestVault()
    const before = await vaultNow(vault)
    const store = createRecordingStore(vault.store)
    const service = createVaultService({ store })
    expect(await update({ ...vault, service }, changes)).toStrictEqual(before)
    expect(store.calls).toEqual(['records.get'])
  })

  it('writes nothing when the description is unchanged', async () => {
    const vault = await createTestVault()
    const before = await update(vault, { description: 'About it' })
    expect(await update(vault, { description: 'About it' })).toStrictEqual(before)
  })

  it('throws PRECONDITION_FAILED for another ifVersion, even without a change', async () => {
    const vault = await createTestVault()
    await update(vault, { name: 'Second' })
    for (const ifVersion of [0, 1, 3]) {
      for (const name of ['Third', 'Second']) {
        await expect(update(vault, { name, ifVersion })).rejects.toMatchObject({
          code: 'PRECONDITION_FAILED',
          status: 412,
          message: `vault ${vault.vaultId} is not at the expected version`,
        })
      }
    }
    expect(await update(vault, { name: 'Third', ifVersion: 2 })).toMatchObject({ name: 'Third' })
  })

  it('keeps the items of the vault unchanged', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId, item } = vault
    await update(vault, { name: 'New' })
    expect(await service.getItem(caller, { vaultId, itemId: item.id })).toStrictEqual(item)
  })
})

describe('updateVault with concurrent writers', () => {
  it.each([1, 4])('loses no change in %i services', async (count) => {
    const vault = await createTestVault()
    const services = Array.from({ length: count }, () => createVaultService({ store: vault.store }))
    const updates = Array.from({ length: 24 }, (_, index) =>
      update(
        { ...vault, service: services[index % count] ?? vault.service },
        index % 2 === 0 ? { name: `Name ${index}` } : { description: `About ${index}` },
      ),
    )
    const versions = (await Promise.all(updates)).map(({ attributeVersion }) => attributeVersion)
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, n) => n + 2))
    expect(await vaultNow(vault)).toMatchObject({
      name: expect.stringMatching(/^Name \d*[02468]$/),
      description: expect.stringMatching(/^About \d*[13579]$/),
      attributeVersion: 25,
    })
  })

  it('throws CONFLICT (409) after 32 attempts', async () => {
    const vault = await createTestVault()
    const store = createRecordingStore(
      createFaultyStore(vault.store, ({ method }) => (method === 'put' ? 'conflict' : undefined)),
    )
    const service = createVaultService({ store, retry: { sleep: async () => {} } })
    await expect(update({ ...vault, service }, { name: 'New' })).rejects.toMatchObject({
      ...conflict,
      message: `vault ${vault.vaultId} has too many concurrent changes`,
    })
    expect(store.calls).toEqual(Array(32).fill(['records.get', 'records.put']).flat())
  })

  it('does not retry a failed put', async () => {
    const vault = await createTestVault()
    const store = createRecordingStore(
      createFaultyStore(vault.store, ({ method }) =>
        method === 'put' ? 'fail-before' : undefined,
      ),
    )
    const service = createVaultService({ store })
    await expect(update({ ...vault, service }, { name: 'New' })).rejects.toMatchObject(
      storageFailed,
    )
    expect(store.calls).toEqual(['records.get', 'records.put'])
  })
})

type VaultAccess = Pick<TestVault, 'service' | 'caller' | 'vaultId'>

function update({ service, caller, vaultId }: VaultAccess, changes: Changes): Promise<Vault> {
  return service.updateVault(caller, { vaultId, ...changes })
}

function vaultNow({ service, caller, vaultId }: VaultAccess): Promise<Vault> {
  return service.getVault(caller, { vaultId })
}
