import { describe, expect, it, vi } from 'vitest'
import { vaultNotInScopeError } from '../../../src/base/fixed-errors.js'
import {
  type Caller,
  createCaller,
  createVaultService,
  type Vault,
  type VaultServiceOptions,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createFaultyStore, createTestClock, createTestVault } from '../../../src/testing.js'
import { createChosenVault } from '../../support/service/chosen-vault.js'
import { forbidden, invalid, ruleFailed, storageFailed } from '../../support/service/rejections.js'

type BeforeCreateVault = NonNullable<VaultServiceOptions['beforeCreateVault']>

const creator = createCaller({ id: 'creator', vaults: {}, createVaults: true })
const admin = createCaller({ id: 'admin', vaults: '*' })
const chosenId = 'c'.repeat(26)

describe('createVault', () => {
  it('returns the new vault with the current time', async () => {
    const { service, caller } = await createTestVault({
      now: createTestClock('2026-05-04T03:02:01.009Z'),
    })
    const vault = await service.createVault(caller, { name: 'Work', description: 'All of it' })
    expect(vault).toStrictEqual({
      id: expect.stringMatching(/^[0189][a-z2-7]{25}$/),
      name: 'Work',
      description: 'All of it',
      type: 'USER_CREATED',
      attributeVersion: 1,
      createdAt: '2026-05-04T03:02:01.009Z',
      updatedAt: '2026-05-04T03:02:01.009Z',
    })
    expect(await service.getVault(caller, { vaultId: vault.id })).toStrictEqual(vault)
  })

  it('uses the given id and requires no description', async () => {
    const { service, caller } = await createTestVault()
    const vault = await service.createVault(caller, { name: 'Mine', vaultId: chosenId })
    expect(vault.id).toBe(chosenId)
    expect(vault).not.toHaveProperty('description')
  })

  it('throws CONFLICT (409) when a vault with the id exists', async () => {
    const { service, caller, vaultId } = await createChosenVault()
    const before = await service.getVault(caller, { vaultId })
    await expect(service.createVault(caller, { name: 'Other', vaultId })).rejects.toMatchObject({
      code: 'CONFLICT',
      status: 409,
      message: `vault ${vaultId} already exists`,
    })
    expect(await service.getVault(caller, { vaultId })).toStrictEqual(before)
  })

  it('accepts a name of any other characters and length', async () => {
    const { service, caller } = await createTestVault()
    for (const name of [' ', '\n"\u202e', '😀'.repeat(16_384)]) {
      const { id } = await service.createVault(caller, { name })
      expect(await service.getVault(caller, { vaultId: id })).toMatchObject({ name })
    }
  })
})

describe('createVault and updateVault', () => {
  it.each<[string, object, string]>([
    ['no name', { name: null }, 'name must be a string'],
    ['an empty name', { name: '' }, 'name must be at least 1 characters long'],
    ['a name with U+0000', { name: 'a\0' }, 'name must not contain U+0000'],
    ['a name with a lone surrogate', { name: 'a\ud800' }, 'name must not contain a lone surrogate'],
    ['a long name', { name: 'é'.repeat(32_769) }, 'name must be at most 65536 bytes long'],
    ['a number as description', { description: 7 }, 'description must be a string'],
    ['a description with U+0000', { description: '\0' }, 'description must not contain U+0000'],
  ])('reject %s', async (_, changes, message) => {
    const { service, caller, vaultId } = await createTestVault()
    const [before] = await service.listVaults(caller)
    const input = { name: 'a', ...changes }
    await expect(service.createVault(caller, input)).rejects.toMatchObject(invalid(message))
    const update = service.updateVault(caller, { vaultId, ...changes })
    await expect(update).rejects.toMatchObject(invalid(message))
    expect(await service.listVaults(caller)).toStrictEqual([before])
  })
})

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
    const writer = createCaller({ id: 'writer', vaults: { [chosenId]: 'write' } })
    expect(await service.createVault(writer, input)).toMatchObject({ id: chosenId })
  })

  it('rejects a caller without the permission, with a message that names no id', async () => {
    const service = createVaultService({ store: createMemoryStore() })
    const caller = createCaller({ id: 'reader', vaults: { [chosenId]: 'read-write' } })
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
    return { outcome, vaults: await service.listVaults(admin) }
  }

  it('is called with the vault and its creator before the vault exists', async () => {
    const store = createMemoryStore()
    const seen: unknown[] = []
    const service = createVaultService({
      store,
      beforeCreateVault: async (vault, { id }) => {
        seen.push([vault, id, await service.listVaults(admin)])
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
      () => Promise.reject(vaultNotInScopeError('too many')),
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
