import { describe, expect, it, vi } from 'vitest'
import {
  type Caller,
  createCaller,
  createVaultService,
  ForbiddenError,
  type Vault,
  type VaultServiceOptions,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createFaultyStore, createTestVault } from '../../../src/testing.js'
import { forbidden, ruleFailed, storageFailed } from '../../support/service/rejections.js'

type BeforeCreateVault = NonNullable<VaultServiceOptions['beforeCreateVault']>

const creator = createCaller('creator', {}, { createVaults: true })
const admin = createCaller('admin', '*')
const chosenId = 'c'.repeat(26)

describe('createVault by a caller who can create vaults', () => {
  it('creates a vault with a random id, to which the caller has no rights', async () => {
    const service = createVaultService({ store: createMemoryStore() })
    const { id: vaultId } = await service.createVault(creator, { name: 'Mine' })
    await expect(service.getVault(creator, { vaultId })).rejects.toMatchObject(forbidden(vaultId))
    expect(await service.getVault(admin, { vaultId })).toMatchObject({ name: 'Mine' })
  })

  it('asks for the permission `create` on the new id, with the name of the operation', async () => {
    const checks: unknown[] = []
    const caller: Caller = { id: 'x', can: (...check) => checks.push(check) > 0 }
    const service = createVaultService({ store: createMemoryStore() })
    const { id } = await service.createVault(caller, { name: 'Mine' })
    expect(checks).toEqual([['create', id, 'createVault', undefined]])
  })

  it('rejects an id of their choice without write on it', async () => {
    const service = createVaultService({ store: createMemoryStore() })
    const input = { name: 'Mine', vaultId: chosenId }
    await expect(service.createVault(creator, input)).rejects.toMatchObject(forbidden(chosenId))
    const writer = createCaller('writer', { [chosenId]: 'write' })
    expect(await service.createVault(writer, input)).toMatchObject({ id: chosenId })
  })

  it('rejects a caller without the permission, with a message that names no id', async () => {
    const service = createVaultService({ store: createMemoryStore() })
    const caller = createCaller('reader', { [chosenId]: 'read-write' })
    await expect(service.createVault(caller, { name: 'Mine' })).rejects.toMatchObject({
      ...forbidden(''),
      message: 'creating vaults is not in scope',
    })
  })
})

describe('beforeCreateVault', () => {
  /** Creates a vault; returns the outcome, and the vaults that an administrator then sees. */
  async function create(beforeCreateVault: BeforeCreateVault, options = {}) {
    const service = createVaultService({
      store: createMemoryStore(),
      beforeCreateVault,
      ...options,
    })
    const [outcome] = await Promise.allSettled([service.createVault(creator, { name: 'Mine' })])
    return { outcome, vaults: await service.listVaults(admin, {}) }
  }

  it('is called with the vault and its creator before the vault exists', async () => {
    const store = createMemoryStore()
    const seen: unknown[] = []
    const service = createVaultService({
      store,
      beforeCreateVault: async (vault, { id }) => {
        seen.push([vault, id, await service.listVaults(admin, {})])
      },
    })
    const vault = await service.createVault(creator, { name: 'Mine' })
    expect(seen).toEqual([[vault, 'creator', []]])
  })

  it('is called with the object of the options as `this`', async () => {
    class Options {
      readonly store = createMemoryStore()
      readonly #members: string[] = []
      beforeCreateVault({ id }: Vault) {
        this.#members.push(id)
      }
      listMembers() {
        return this.#members
      }
    }
    const options = new Options()
    const { id } = await createVaultService(options).createVault(creator, { name: 'Mine' })
    expect(options.listMembers()).toEqual([id])
  })

  it('cannot change the vault', async () => {
    const { vaults } = await create((vault) => void Object.assign(vault, { name: 'Changed' }))
    expect(vaults).toMatchObject([{ name: 'Mine' }])
  })

  it.each<[string, BeforeCreateVault, object]>([
    ['throws', () => expect.fail('secret'), ruleFailed],
    ['rejects', () => Promise.reject(new Error('secret')), ruleFailed],
    [
      'rejects with an error of the library',
      () => Promise.reject(new ForbiddenError('too many')),
      { code: 'FORBIDDEN' },
    ],
    [
      'hangs',
      () => new Promise(() => {}),
      {
        code: 'STORAGE_UNAVAILABLE',
        message: 'beforeCreateVault did not settle within 50 ms',
      },
    ],
  ])('prevents the vault when it %s', async (_, beforeCreateVault, error) => {
    const { outcome, vaults } = await create(beforeCreateVault, { storeTimeoutMs: 50 })
    expect(outcome).toMatchObject({ status: 'rejected', reason: error })
    expect(vaults).toEqual([])
  })

  it('does not count as an error of the store', async () => {
    const service = createVaultService({
      store: createMemoryStore(),
      beforeCreateVault: () => Promise.reject(new Error('full')),
    })
    await expect(service.createVault(creator, { name: 'Mine' })).rejects.toMatchObject(ruleFailed)
    expect(service.stats.storeErrors).toBe(0)
  })

  it('is not called for an id that the creator chose', async () => {
    const beforeCreateVault = vi.fn()
    const { service } = await createTestVault({ beforeCreateVault })
    beforeCreateVault.mockClear()
    await service.createVault(admin, { name: 'Chosen', vaultId: chosenId })
    await expect(
      service.createVault(admin, { name: 'Again', vaultId: chosenId }),
    ).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(beforeCreateVault).not.toHaveBeenCalled()
  })

  it('is called once when the vault cannot be stored', async () => {
    const beforeCreateVault = vi.fn()
    const store = createFaultyStore(createMemoryStore(), ({ method }) =>
      method === 'put' ? 'fail-before' : undefined,
    )
    const { outcome, vaults } = await create(beforeCreateVault, { store })
    expect(outcome).toMatchObject({ status: 'rejected', reason: storageFailed })
    expect([beforeCreateVault.mock.calls.length, vaults]).toEqual([1, []])
  })
})
