import { describe, expect, it, vi } from 'vitest'
import { runAround } from '../../../src/core/operation/around.js'
import {
  type AroundCall,
  createVaultService,
  ForbiddenError,
  type Next,
  NotFoundError,
  type VaultServiceOptions,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestVault } from '../../../src/testing.js'
import { noteDraft } from '../../support/drafts.js'
import { itemRef } from '../../support/items/refs.js'
import { ruleFailed } from '../../support/service/rejections.js'
import { createHangingStore } from '../../support/stores/hanging-store.js'

type Around = (call: AroundCall, next: Next) => unknown

/** A test vault, and a service on its store with this hook. */
async function aroundVault(around: Around, options: Partial<VaultServiceOptions> = {}) {
  const vault = await createTestVault()
  const service = createVaultService({
    store: vault.store,
    ...options,
    around: around as NonNullable<VaultServiceOptions['around']>,
  })
  return { ...vault, service }
}

describe('VaultServiceOptions.around', () => {
  it('is called with the call, and next resolves with nothing', async () => {
    const calls: unknown[] = []
    const vault = await aroundVault(async (call, next) => {
      calls.push(call, await next())
    })
    const { service, caller, item } = vault
    expect(await service.getItem(caller, itemRef(vault))).toEqual(item)
    expect(calls).toEqual([{ operation: 'getItem', caller, ids: itemRef(vault) }, undefined])
  })

  it('is not called without a caller', async () => {
    const around = vi.fn()
    const vault = await aroundVault(around)
    await expect(vault.service.getItem(undefined, itemRef(vault))).rejects.toMatchObject({
      status: 401,
    })
    expect(around).not.toHaveBeenCalled()
  })

  it('is called before the ids and the permissions are checked, with well-formed ids', async () => {
    const seen: unknown[] = []
    const vault = await aroundVault(({ ids }) => {
      seen.push(ids)
      throw new ForbiddenError('closed at night')
    })
    const nobody = { id: 'nobody', can: () => false }
    const call = vault.service.getItem(nobody, { vaultId: 'x', itemId: vault.item.id })
    await expect(call).rejects.toThrow('closed at night')
    expect(seen).toEqual([{ itemId: vault.item.id }])
  })

  it('makes the call once, however often it calls next', async () => {
    const vault = await aroundVault(async (_, next) => {
      await Promise.all([next(), next()])
      await next()
    })
    const { service, caller, vaultId } = vault
    await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    expect(await service.listItems(caller, { vaultId })).toHaveLength(2)
  })

  it.each<[string, Around]>([
    ['returns', () => {}],
    ['resolves', async () => {}],
  ])('rejects with a RuleError when it %s without calling next', async (_, around) => {
    const vault = await aroundVault(around)
    await expect(vault.service.getItem(vault.caller, itemRef(vault))).rejects.toMatchObject({
      ...ruleFailed,
      message: 'around must call next or throw',
    })
  })

  it('refuses to make the call after it has settled', async () => {
    let late: Next = async () => {}
    const vault = await aroundVault((_, next) => {
      late = next
    })
    const { service, caller, vaultId } = vault
    const item = noteDraft(vaultId)
    await expect(service.createItem(caller, { vaultId, item })).rejects.toMatchObject(ruleFailed)
    await expect(late()).rejects.toMatchObject(ruleFailed)
    const unhooked = createVaultService({ store: vault.store })
    expect(await unhooked.listItems(caller, { vaultId })).toHaveLength(1)
  })

  it.each<[string, Around]>([
    ['passes it on', (_, next) => next()],
    ['does not wait for it', (_, next) => void next()],
    ['ignores it', (_, next) => next().catch(() => {})],
  ])('rejects with the error of the call when the hook %s', async (_, around) => {
    const vault = await aroundVault(around)
    const ref = { vaultId: vault.vaultId, itemId: 'o'.repeat(26) }
    const error = await vault.service.getItem(vault.caller, ref).catch((reason) => reason)
    expect(error).toBeInstanceOf(NotFoundError)
  })

  it('rejects with its own error when it throws after the call, which was made', async () => {
    const vault = await aroundVault(async (_, next) => {
      await next()
      throw new ForbiddenError('too late')
    })
    const { service, store, caller, vaultId } = vault
    const call = service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    await expect(call).rejects.toThrow('too late')
    expect(await store.records.list(`items/${vaultId}`, { limit: 10 })).toHaveLength(2)
  })

  it('releases a content when it throws after the call', async () => {
    const vault = await createTestVault()
    const onReturn = vi.fn()
    const content = (async function* () {
      try {
        yield new Uint8Array(5)
      } finally {
        onReturn()
      }
    })()
    await content.next()
    const { records, blobs } = vault.store
    const service = createVaultService({
      store: { records, blobs: { ...blobs, read: async () => content } },
      async around(_, next) {
        await next()
        throw new ForbiddenError('too late')
      },
    })
    const ref = { ...itemRef(vault), fileId: vault.smallFile.id }
    await expect(service.readFileContent(vault.caller, ref)).rejects.toThrow('too late')
    await vi.waitFor(() => expect(onReturn).toHaveBeenCalledOnce())
  })

  it('waits for a call that is being made when it throws', async () => {
    const vault = await createTestVault()
    const store = createHangingStore(vault.store)
    const service = createVaultService({
      store,
      around(_, next) {
        next().catch(() => {})
        throw new ForbiddenError('too slow')
      },
    })
    const release = store.hang('records.put')
    const { caller, vaultId } = vault
    const settled: string[] = []
    const call = service
      .createItem(caller, { vaultId, item: noteDraft(vaultId) })
      .catch((error: Error) => settled.push(error.message))
    const closing = service.close().then(() => settled.push('closed'))
    await new Promise(setImmediate)
    expect(settled).toEqual([])
    release()
    await Promise.all([call, closing])
    expect(settled).toEqual(['too slow', 'closed'])
  })

  it('has the client of a caller who came over HTTP, also for calls in process', async () => {
    const clients: unknown[] = []
    const vault = await aroundVault(async ({ client }, next) => {
      clients.push(client)
      await next()
    })
    const client = { requestIp: '192.0.2.1' }
    await vault.service.getItem({ ...vault.caller, client }, itemRef(vault))
    expect(clients).toEqual([client])
  })

  it('rejects with a RuleError, without the message, when it throws a foreign error', async () => {
    const vault = await aroundVault(() => {
      throw new TypeError('hunter2')
    })
    await expect(vault.service.getItem(vault.caller, itemRef(vault))).rejects.toMatchObject({
      ...ruleFailed,
      message: 'around failed',
      cause: { message: 'TypeError' },
    })
  })

  it('rejects with 503 when it takes longer than storeTimeoutMs before next', async () => {
    const vault = await aroundVault(() => new Promise(() => {}), { storeTimeoutMs: 10 })
    await expect(vault.service.getItem(vault.caller, itemRef(vault))).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      message: 'around did not settle within 10 ms',
    })
  })

  it('rejects with 503 when it takes longer than storeTimeoutMs after next', async () => {
    const vault = await aroundVault(
      async (_, next) => {
        await next()
        await new Promise(() => {})
      },
      { storeTimeoutMs: 10 },
    )
    await expect(vault.service.getItem(vault.caller, itemRef(vault))).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
    })
  })

  it('does not count the time of the call', async () => {
    const { caller } = await createTestVault()
    const call = { operation: 'getItem', caller, ids: {} } as const
    const run = async (): Promise<string> => {
      await new Promise((resolve) => setTimeout(resolve, 60))
      return 'result'
    }
    expect(await runAround((_, next) => next(), 10, call, run)).toBe('result')
  })

  it('must be a function', () => {
    const around = 'yes' as never
    expect(() => createVaultService({ store: createMemoryStore(), around })).toThrow(TypeError)
  })
})
