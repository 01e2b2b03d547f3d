import { describe, expect, it } from 'vitest'
import { operations } from '../../src/core/operations.js'
import {
  createCaller,
  createVaultService,
  type OperationName,
  type VaultService,
} from '../../src/index.js'
import { createTestVault, noteDraft } from '../../src/testing.js'
import { vaultInputs } from '../support/items/vault-inputs.js'
import { forbidden, invalid, unauthorized } from '../support/service/rejections.js'

const names = Object.keys(operations) as OperationName[]

describe('as', () => {
  it('returns exactly the operations', async () => {
    const { service, caller } = await createTestVault()
    expect(Object.keys(service.as(caller))).toEqual(names)
  })

  it.each(names)('calls %s with the caller, the input and further arguments', async (name) => {
    const { service, caller } = await createTestVault()
    const calls: unknown[][] = []
    const spy = (...call: unknown[]): Promise<unknown> => {
      calls.push(call)
      return Promise.resolve('result')
    }
    const bound = { ...service, [name]: spy }.as(caller)
    const call = Reflect.get(bound, name) as (...rest: unknown[]) => Promise<unknown>
    expect(await call('input', 'options')).toBe('result')
    expect(calls).toEqual([[caller, 'input', 'options']])
  })

  it('returns what the operations return', async () => {
    const { service, caller, vaultId, item } = await createTestVault()
    const vault = service.as(caller)
    const ref = { vaultId, itemId: item.id }
    expect(await vault.getItem(ref)).toStrictEqual(item)
    expect(await vault.getField({ ...ref, field: 'pin' })).toStrictEqual(item.fields[2])
    const note = await vault.createItem({ vaultId, item: noteDraft(vaultId) })
    expect(note).toMatchObject({ title: 'Note', lastEditedBy: caller.id })
    expect(await vault.deleteItem({ vaultId, itemId: note.id })).toBeUndefined()
  })

  it('returns operations that can be called without the service', async () => {
    const { store, caller, vaultId, item } = await createTestVault()
    const { as } = createVaultService({ store })
    const { getItem } = as(caller)
    expect(await getItem({ vaultId, itemId: item.id })).toStrictEqual(item)
  })

  it('returns operations whose input can be left out if all of it is optional', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const vault = service.as(caller)
    expect(await vault.listVaults()).toMatchObject([{ id: vaultId }])
    expect(await vault.listActivity()).toEqual({ entries: [], total: 0 })
    // @ts-expect-error
    await expect(vault.getVault()).rejects.toMatchObject(invalid('Invalid Vault UUID'))
    const noObject = vault.listVaults(null as never)
    await expect(noObject).rejects.toMatchObject(invalid('the input must be an object'))
  })

  it.each(names)('rejects %s without a caller, but does not throw', async (name) => {
    const vault = await createTestVault()
    const bound = vault.service.as(undefined)
    const call = Reflect.get(bound, name) as (input: object) => Promise<unknown>
    await expect(call(vaultInputs(vault)[name])).rejects.toMatchObject(unauthorized)
  })

  it('checks the permissions in each call', async () => {
    const { service, vaultId } = await createTestVault()
    let isAllowed = true
    const { getVault } = service.as({ id: 'some', can: () => isAllowed })
    expect(await getVault({ vaultId })).toMatchObject({ id: vaultId })
    isAllowed = false
    await expect(getVault({ vaultId })).rejects.toMatchObject(forbidden(vaultId))
  })

  it('keeps the callers apart', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const [all, none] = [service.as(caller), service.as(createCaller('none', {}))]
    const lists = await Promise.all([all.listVaults(), none.listVaults(), all.listVaults()])
    expect(lists.map((list) => list.map(({ id }) => id))).toEqual([[vaultId], [], [vaultId]])
  })

  it('calls the operations of a service that wraps another one', async () => {
    const { service, caller, vaultId, item } = await createTestVault()
    const ref = { vaultId, itemId: item.id }
    const getItem: VaultService['getItem'] = async (...call) => ({
      ...(await service.getItem(...call)),
      title: 'Wrapped',
    })
    const spread: VaultService = { ...service, getItem }
    const inherited: VaultService = Object.create(service, { getItem: { value: getItem } })
    const proxied = new Proxy(service, {
      get: (target, name) => (name === 'getItem' ? getItem : Reflect.get(target, name)),
    })
    for (const wrapper of [spread, inherited, proxied]) {
      expect(await wrapper.as(caller).getItem(ref)).toMatchObject({ title: 'Wrapped' })
      expect(await wrapper.as(caller).listVaults()).toHaveLength(1)
    }
    expect(await service.as(caller).getItem(ref)).toStrictEqual(item)
  })

  it('calls the operation that the service has at the time of the call', async () => {
    const { service, caller, vaultId, item } = await createTestVault()
    const changing = { ...service }
    const vault = changing.as(caller)
    changing.getItem = async () => ({ ...item, title: 'Later' })
    expect(await vault.getItem({ vaultId, itemId: item.id })).toMatchObject({ title: 'Later' })
  })
})
