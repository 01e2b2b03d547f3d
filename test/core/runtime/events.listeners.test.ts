import { describe, expect, it, vi } from 'vitest'
import { createCaller, createVaultService, type VaultService } from '../../../src/index.js'
import { createTestVault } from '../../../src/testing.js'

describe('createVaultEvents: a listener', () => {
  const change = (service: VaultService, name: string) =>
    service.createVault(createCaller('me', '*'), { name })

  it('is called with events of its type until it is unsubscribed', async () => {
    const { service } = await createTestVault()
    const [created, updated] = [vi.fn(), vi.fn()]
    const unsubscribe = service.on('vault.created', created)
    service.on('vault.updated', updated)
    await change(service, 'a')
    unsubscribe()
    unsubscribe()
    await change(service, 'b')
    expect([created.mock.calls.length, updated.mock.calls.length]).toEqual([1, 0])
  })

  it('is called once per subscription, each of which ends separately', async () => {
    const { service } = await createTestVault()
    const listener = vi.fn()
    const unsubscribe = service.on('vault.created', listener)
    service.on('vault.created', listener)
    await change(service, 'a')
    unsubscribe()
    unsubscribe()
    await change(service, 'b')
    expect(listener).toHaveBeenCalledTimes(3)
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('x')
      },
    ],
    ['rejects', () => Promise.reject(new Error('x'))],
    [
      'returns an object whose then throws',
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: a value that a listener can return.
        get then() {
          throw new Error('x')
        },
      }),
    ],
    ['never settles', () => new Promise(() => {})],
  ])('does not affect the operation or other listeners when it %s', async (_, listener) => {
    const { service } = await createTestVault()
    service.on('vault.created', listener)
    const next = vi.fn()
    service.on('vault.created', next)
    await expect(change(service, 'a')).resolves.toMatchObject({ name: 'a' })
    await new Promise((resolve) => setTimeout(resolve, 1))
    expect(next).toHaveBeenCalledOnce()
  })

  it('can unsubscribe itself without affecting the next listener', async () => {
    const { service } = await createTestVault()
    const once = vi.fn(() => unsubscribe())
    const unsubscribe = service.on('vault.created', once)
    const next = vi.fn()
    service.on('vault.created', next)
    await change(service, 'a')
    await change(service, 'b')
    expect([once.mock.calls.length, next.mock.calls.length]).toEqual([1, 2])
  })

  it('is called for a change that started before the subscription', async () => {
    const { service } = await createTestVault()
    const listener = vi.fn()
    const changed = change(service, 'a')
    service.on('vault.created', listener)
    await changed
    expect(listener).toHaveBeenCalledOnce()
  })

  it('is not called after another listener unsubscribed it, even for the same change', async () => {
    const { service } = await createTestVault()
    service.on('vault.created', () => unsubscribe())
    const listener = vi.fn()
    const unsubscribe = service.on('vault.created', listener)
    await change(service, 'a')
    expect(listener).not.toHaveBeenCalled()
  })

  it('cannot modify the event of the next listener', async () => {
    const { service } = await createTestVault()
    service.on('vault.created', (event) => Object.assign(event, { vaultId: 'mine' }))
    const next = vi.fn()
    service.on('vault.created', next)
    const { id } = await change(service, 'a')
    expect(next).toHaveBeenCalledWith(expect.objectContaining({ vaultId: id }))
  })

  it('is called only for changes made through its own service', async () => {
    const { service, store } = await createTestVault()
    const listener = vi.fn()
    service.on('vault.created', listener)
    await change(createVaultService({ store }), 'a')
    expect(listener).not.toHaveBeenCalled()
  })
})
