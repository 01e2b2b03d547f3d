import { describe, expect, it, vi } from 'vitest'
import { operations } from '../../src/core/operations.js'
import {
  createCaller,
  createVaultService,
  ForbiddenError,
  type ItemRef,
  type MethodName,
} from '../../src/index.js'
import { createTestVault } from '../../src/testing.js'
import { noteDraft } from '../support/drafts.js'
import { exampleInput, toCallRef } from '../support/service/operation-examples.js'
import { forbidden, invalid, unauthorized } from '../support/service/rejections.js'

const names = Object.keys(operations) as MethodName[]

describe('as', () => {
  it('returns exactly the operations', async () => {
    const { service, caller } = await createTestVault()
    const vault = service.as(caller)
    expect(Object.getOwnPropertyNames(vault)).toEqual(names)
    expect([Object.isFrozen(vault), Object.keys(vault)]).toEqual([true, []])
  })

  it.each(names)('calls %s with the caller and the input', async (name) => {
    const calls: unknown[] = []
    let isReady = false
    const vault = await createTestVault({
      around({ operation, caller, ids }, next) {
        if (!isReady) return next()
        calls.push([operation, caller, ids])
        throw new ForbiddenError('seen')
      },
    })
    isReady = true
    const { vaultId, itemId } = exampleInput(name, toCallRef(vault)) as Partial<ItemRef>
    const bound = vault.service.as(vault.caller)
    const call = Reflect.get(bound, name) as (input: unknown) => Promise<unknown>
    await expect(call(exampleInput(name, toCallRef(vault)))).rejects.toThrow('seen')
    const ids = { ...(vaultId && { vaultId }), ...(itemId && { itemId }) }
    expect(calls).toEqual([[name, vault.caller, ids]])
  })

  it('passes the options of a call on', async () => {
    const { service, caller, store, vaultId, item } = await createTestVault()
    const key = { collection: `items/${vaultId}`, id: item.id }
    await store.records.put(key, { body: new Uint8Array(3) }, item.version)
    const onUnreadable = vi.fn()
    expect(await service.as(caller).listItems({ vaultId }, { onUnreadable })).toEqual([])
    expect(onUnreadable).toHaveBeenCalledOnce()
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
    expect(await vault.listActivity()).toEqual({ entries: [] })
    // @ts-expect-error
    await expect(vault.getVault()).rejects.toMatchObject(
      invalid('vaultId must be an id: 26 characters of a-z and 0-9'),
    )
    const noObject = vault.listVaults(null as never)
    await expect(noObject).rejects.toMatchObject(invalid('the input must be an object'))
  })

  it.each(names)('rejects %s without a caller, but does not throw', async (name) => {
    const vault = await createTestVault()
    const bound = vault.service.as(undefined)
    const call = Reflect.get(bound, name) as (input: object) => Promise<unknown>
    await expect(call(exampleInput(name, toCallRef(vault)))).rejects.toMatchObject(unauthorized)
  })

  it('rejects a promise of a caller as a missing one', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const promised = Promise.resolve(caller) as never
    const message = 'the caller is a promise: is await missing?'
    const missing = { ...unauthorized, message }
    await expect(service.getVault(promised, { vaultId })).rejects.toMatchObject(missing)
    await expect(service.as(promised).getVault({ vaultId })).rejects.toMatchObject(missing)
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
    const [all, none] = [service.as(caller), service.as(createCaller({ id: 'none', vaults: {} }))]
    const lists = await Promise.all([all.listVaults(), none.listVaults(), all.listVaults()])
    expect(lists.map((list) => list.map(({ id }) => id))).toEqual([[vaultId], [], [vaultId]])
  })
})
