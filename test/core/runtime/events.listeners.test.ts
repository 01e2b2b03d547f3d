import { describe, expect, it, vi } from 'vitest'
import { createCaller, createVaultService, type VaultService } from '../../../src/index.js'
import { createTestVault } from '../../../src/testing.js'

describe('a listener', () => {
  const change = (service: VaultService, name: string) =>
    service.createVault(createCaller('me', '*'), { name })

  it('hears only what it asks for, and nothing after it has ended that', async () => {
    const { service } = await createTestVault()
    const [created, updated] = [vi.fn(), vi.fn()]
    const end = service.on('vault.created', created)
    service.on('vault.updated', updated)
    await change(service, 'a')
    end()
    end()
    await change(service, 'b')
    expect([created.mock.calls.length, updated.mock.calls.length]).toEqual([1, 0])
  })

  it('that is there twice hears twice, and ends once for each', async () => {
    const { service } = await createTestVault()
    const listener = vi.fn()
    const end = service.on('vault.created', listener)
    service.on('vault.created', listener)
    await change(service, 'a')
    end()
    end()
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
      'answers what cannot be waited for',
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: what a listener may answer.
        get then() {
          throw new Error('x')
        },
      }),
    ],
    ['never ends', () => new Promise(() => {})],
  ])('that %s harms nobody', async (_, listener) => {
    const { service } = await createTestVault()
    service.on('vault.created', listener)
    const next = vi.fn()
    service.on('vault.created', next)
    await expect(change(service, 'a')).resolves.toMatchObject({ name: 'a' })
    await new Promise((resolve) => setTimeout(resolve, 1))
    expect(next).toHaveBeenCalledOnce()
  })

  it('may end itself, and the next one still hears', async () => {
    const { service } = await createTestVault()
    const once = vi.fn(() => end())
    const end = service.on('vault.created', once)
    const next = vi.fn()
    service.on('vault.created', next)
    await change(service, 'a')
    await change(service, 'b')
    expect([once.mock.calls.length, next.mock.calls.length]).toEqual([1, 2])
  })

  it('hears of a change that was asked for before, and is stored after', async () => {
    const { service } = await createTestVault()
    const listener = vi.fn()
    const changed = change(service, 'a')
    service.on('vault.created', listener)
    await changed
    expect(listener).toHaveBeenCalledOnce()
  })

  it('does not hear any more when another has ended that, even of the same change', async () => {
    const { service } = await createTestVault()
    service.on('vault.created', () => end())
    const listener = vi.fn()
    const end = service.on('vault.created', listener)
    await change(service, 'a')
    expect(listener).not.toHaveBeenCalled()
  })

  it('cannot change what the next one hears', async () => {
    const { service } = await createTestVault()
    service.on('vault.created', (event) => Object.assign(event, { vaultId: 'mine' }))
    const next = vi.fn()
    service.on('vault.created', next)
    const { id } = await change(service, 'a')
    expect(next).toHaveBeenCalledWith(expect.objectContaining({ vaultId: id }))
  })

  it('hears of its own service only', async () => {
    const { service, store } = await createTestVault()
    const listener = vi.fn()
    service.on('vault.created', listener)
    await change(createVaultService({ store }), 'a')
    expect(listener).not.toHaveBeenCalled()
  })
})
