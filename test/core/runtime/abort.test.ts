import { getEventListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { createMemoryActivityLog, createStoredActivityLog } from '../../../src/activity.js'
import { storedMethod } from '../../../src/core/service-method.js'
import { type Caller, createVaultService } from '../../../src/index.js'
import { createSnapshotStore } from '../../../src/testing/hostile/snapshot-store.js'
import { createFaultyStore, createTestVault, type TestVault } from '../../../src/testing.js'
import { fileRef, itemRef } from '../../support/items/refs.js'
import { readEntries } from '../../support/service/activity-entries.js'
import { createHangingStore } from '../../support/stores/hanging-store.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const reason = new Error('the client is gone')
const patch = [{ op: 'add', path: '/tags/-', value: 'x' }] as const
const never = new Promise<never>(() => {})

function listenersOf(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length
}

describe('createVaultService with an aborted signal', () => {
  it('rejects with the reason, calls neither the store nor the caller, and records it', async () => {
    const vault = await createTestVault()
    const store = createRecordingStore(vault.store)
    const activity = createMemoryActivityLog()
    const service = createVaultService({ store, activity })
    const can = vi.fn(() => true)
    const call = service.getItem({ id: 'x', can }, itemRef(vault), {
      signal: AbortSignal.abort(reason),
    })
    await expect(call).rejects.toBe(reason)
    expect([store.calls, can.mock.calls, service.stats.storeErrors]).toEqual([[], [], 0])
    expect(await readEntries(activity)).toMatchObject([
      { result: 'DENY', action: 'READ', resource: { item: { id: vault.item.id } } },
    ])
  })

  it('rejects with an AbortError when the signal has no reason of its own', async () => {
    const { service, caller } = await createTestVault()
    const call = service.listVaults(caller, {}, { signal: AbortSignal.abort() })
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('rejects also when HTTP calls the operation', async () => {
    const { service, caller, ...vault } = await createTestVault()
    const run = storedMethod(service.getItem)
    const options = { signal: AbortSignal.abort(reason) }
    await expect(run(caller, itemRef(vault) as never, options)).rejects.toBe(reason)
    expect(await run(caller, itemRef(vault) as never, {})).toMatchObject({ item: vault.item })
  })

  it('rejects when the options cannot be read', async () => {
    const { service, caller } = await createTestVault()
    const options = {
      get signal(): never {
        throw reason
      },
    }
    await expect(service.listVaults(caller, {}, options)).rejects.toBe(reason)
  })
})

describe('createVaultService with a signal that is aborted while the call waits', () => {
  it.each(['records.get', 'records.list'])(
    'rejects at once when %s does not respond',
    async (name) => {
      const vault = await createTestVault()
      const store = createHangingStore(vault.store)
      const service = createVaultService({ store })
      const release = store.hang(name)
      const controller = new AbortController()
      const call = service.listItems(vault.caller, vault, { signal: controller.signal })
      const rejection = expect(call).rejects.toBe(reason)
      controller.abort(reason)
      await rejection
      expect(listenersOf(controller.signal)).toBe(0)
      release()
      await service.close()
      expect(service.stats.storeErrors).toBe(0)
    },
  )

  it('rejects at once when the permission check does not respond', async () => {
    const vault = await createTestVault()
    const controller = new AbortController()
    const caller: Caller = { id: 'slow', can: () => never }
    const { signal } = controller
    const call = vault.service.getItem(caller, itemRef(vault), { signal })
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
  })

  it('rejects at once in the queue of the item, and does not run when its turn comes', async () => {
    const vault = await createTestVault()
    const store = createHangingStore(vault.store)
    const service = createVaultService({ store })
    const release = store.hang('records.put')
    const first = service.patchItem(vault.caller, { ...itemRef(vault), patch })
    const controller = new AbortController()
    const { signal } = controller
    const second = service.patchItem(vault.caller, { ...itemRef(vault), patch }, { signal })
    const third = service.patchItem(vault.caller, { ...itemRef(vault), patch })
    controller.abort(reason)
    await expect(second).rejects.toBe(reason)
    release()
    expect((await first).version).toBe(4)
    expect((await third).version).toBe(5)
  })

  it('rejects at once between two attempts', async () => {
    const vault = await createTestVault()
    const controller = new AbortController()
    const store = createFaultyStore(vault.store, ({ method }) =>
      method === 'put' ? 'conflict' : undefined,
    )
    const sleep = (): Promise<never> => {
      controller.abort(reason)
      return never
    }
    const service = createVaultService({ store, retry: { sleep } })
    const { signal } = controller
    const call = service.patchItem(vault.caller, { ...itemRef(vault), patch }, { signal })
    await expect(call).rejects.toBe(reason)
    expect(await vault.service.getItem(vault.caller, itemRef(vault))).toEqual(vault.item)
  })

  it('rejects when the write that was in flight is refused', async () => {
    const vault = await createTestVault()
    const controller = new AbortController()
    const store = createFaultyStore(vault.store, ({ method }) => {
      if (method !== 'put') return undefined
      controller.abort(reason)
      return 'conflict'
    })
    const service = createVaultService({ store, retry: { sleep: () => never } })
    const { signal } = controller
    const call = service.patchItem(vault.caller, { ...itemRef(vault), patch }, { signal })
    await expect(call).rejects.toBe(reason)
    expect(await vault.service.getItem(vault.caller, itemRef(vault))).toEqual(vault.item)
  })

  it('records the change before its failure when it was being recorded', async () => {
    const store = createSnapshotStore()
    const vault = await createTestVault({ store })
    const before = await store.snapshot()
    const controller = new AbortController()
    const log = createMemoryActivityLog()
    const activity = {
      ...log,
      async record(entry: Parameters<typeof log.record>[0]) {
        controller.abort(reason)
        await new Promise((resolve) => setTimeout(resolve, entry.result === 'SUCCESS' ? 20 : 0))
        await log.record(entry)
      },
    }
    const service = createVaultService({ store, activity })
    const { signal } = controller
    const call = service.patchItem(vault.caller, { ...itemRef(vault), patch }, { signal })
    await expect(call).rejects.toBe(reason)
    expect((await readEntries(log)).map(({ result }) => result)).toEqual(['DENY', 'SUCCESS'])
    expect(await store.snapshot()).toBe(before)
  })

  it('stops to read the activity log', async () => {
    const vault = await createTestVault()
    const controller = new AbortController()
    const activity = createStoredActivityLog(vault.store)
    const service = createVaultService({ store: vault.store, activity })
    for (let count = 0; count < 9; count++) await service.listVaults(vault.caller, {})
    let visited = 0
    const reader: Caller = { id: 'tester', can: () => true }
    const counted = {
      ...activity,
      async *entries() {
        for await (const entry of activity.entries()) {
          if (++visited === 3) controller.abort(reason)
          yield entry
        }
      },
    }
    const counting = createVaultService({ store: vault.store, activity: counted })
    const { signal } = controller
    await expect(counting.listActivity(reader, {}, { signal })).rejects.toBe(reason)
    await counting.close()
    expect(visited).toBe(3)
  })
})

describe('createVaultService with a signal that is aborted after the first write', () => {
  it.each(['deleteVault', 'collectGarbage'] as const)(
    '%s rejects between two items, and can be called again',
    async (name) => {
      const vault = await createTestVault()
      const { service, caller, vaultId, store } = vault
      await prepare(vault)
      const controller = new AbortController()
      const aborting = createFaultyStore(store, ({ store: half, method }) => {
        if (half === 'blobs' && method === 'delete') controller.abort(reason)
        return undefined
      })
      const other = createVaultService({ store: aborting, now: vault.clock })
      const { signal } = controller
      await expect(other[name](caller, { vaultId }, { signal })).rejects.toBe(reason)
      expect(await service.getVault(caller, { vaultId })).toMatchObject({ name: 'Test' })
      const rest = await service[name](caller, { vaultId })
      if (name === 'collectGarbage') expect(rest).toBe(1)
    },
  )

  it('collectGarbage of a deleted vault rejects between two records', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId, store } = vault
    await prepare(vault)
    const failing = createFaultyStore(store, ({ collection, method, nth }) =>
      collection?.startsWith('pending-blobs') && method === 'list' && nth === 2
        ? 'fail-before'
        : undefined,
    )
    const interrupted = createVaultService({ store: failing, now: vault.clock })
    await interrupted.deleteVault(caller, { vaultId }).catch(() => {})
    for (const id of ['a', 'b']) {
      const body = new TextEncoder().encode('{}')
      await store.records.put({ collection: `versions/${vaultId}`, id }, { body }, 0)
    }
    const controller = new AbortController()
    const aborting = createFaultyStore(store, ({ method, collection }) => {
      if (method === 'delete' && collection?.startsWith('versions')) controller.abort(reason)
      return undefined
    })
    const other = createVaultService({ store: aborting, now: vault.clock })
    const { signal } = controller
    await expect(other.collectGarbage(caller, { vaultId }, { signal })).rejects.toBe(reason)
    const left = await store.records.list(`versions/${vaultId}`, { limit: 9 })
    expect(left.map(({ id }) => id)).toEqual(['b'])
    await service.collectGarbage(caller, { vaultId })
    expect(await store.records.list(`versions/${vaultId}`, { limit: 9 })).toEqual([])
  })
})

describe('createVaultService with a signal of many calls', () => {
  it('leaves no listener on a signal after 200 calls', async () => {
    const vault = await createTestVault()
    const { service, caller } = vault
    const warnings: unknown[] = []
    const onWarning = (warning: unknown): void => void warnings.push(warning)
    process.on('warning', onWarning)
    const { signal } = new AbortController()
    const missing = { ...itemRef(vault), itemId: 'z'.repeat(26) }
    for (let count = 0; count < 100; count++) {
      await service.getItem(caller, itemRef(vault), { signal })
      await service.getItem(caller, missing, { signal }).catch(() => {})
    }
    await service.patchItem(caller, { ...itemRef(vault), patch }, { signal })
    await new Promise((resolve) => setTimeout(resolve))
    process.off('warning', onWarning)
    expect([listenersOf(signal), warnings]).toEqual([0, []])
  })
})

describe('attachFile with a signal', () => {
  it('rejects with the reason, deletes what has arrived and cancels the content', async () => {
    const store = createSnapshotStore()
    const vault = await createTestVault({ store })
    const before = await store.snapshot()
    const controller = new AbortController()
    let cancelled: unknown
    const content = new ReadableStream<Uint8Array>({
      start: (source) => source.enqueue(Uint8Array.of(1, 2, 3)),
      cancel(error) {
        cancelled = error
      },
    })
    const activity = createMemoryActivityLog()
    const service = createVaultService({ store, activity })
    const { signal } = controller
    const input = { ...itemRef(vault), name: 'x', content }
    const call = service.attachFile(vault.caller, input, { signal })
    setTimeout(() => controller.abort(reason), 20)
    await expect(call).rejects.toBe(reason)
    expect(cancelled).toBe(reason)
    expect(await store.snapshot()).toBe(before)
    expect((await readEntries(activity))[0]?.result).toBe('DENY')
    expect([listenersOf(signal), service.stats.storeErrors]).toEqual([0, 0])
  })

  it('rejects with the reason when the content cannot be cancelled', async () => {
    const vault = await createTestVault()
    const controller = new AbortController()
    const content = new ReadableStream<Uint8Array>({
      start: (source) => source.enqueue(Uint8Array.of(1)),
      cancel: () => Promise.reject(new Error('still open')),
    })
    const input = { ...itemRef(vault), name: 'x', content }
    const call = vault.service.attachFile(vault.caller, input, { signal: controller.signal })
    setTimeout(() => controller.abort(reason), 20)
    await expect(call).rejects.toBe(reason)
    expect(listenersOf(controller.signal)).toBe(0)
  })

  it('stores a content that is complete, of bytes or of a stream', async () => {
    const vault = await createTestVault()
    const { signal } = new AbortController()
    const bytes = new Uint8Array(300_000).fill(5)
    for (const content of [bytes, new Blob([bytes]).stream()]) {
      const input = { ...itemRef(vault), name: 'x', content }
      const { id, size } = await vault.service.attachFile(vault.caller, input, { signal })
      expect(size).toBe(300_000)
      const file = await vault.service.readFileContent(vault.caller, fileRef(vault, { id }))
      expect(await new Response(file.content).bytes()).toEqual(bytes)
    }
    expect(listenersOf(signal)).toBe(0)
  })

  it.each([0, 1])(
    'rejects with the error of a content that fails after %i chunks',
    async (count) => {
      const vault = await createTestVault()
      const { signal } = new AbortController()
      const failure = new Error('cut off')
      let left = count
      const content = new ReadableStream<Uint8Array>({
        pull: (source) => (left-- > 0 ? source.enqueue(Uint8Array.of(1)) : source.error(failure)),
      })
      const input = { ...itemRef(vault), name: 'x', content }
      const call = vault.service.attachFile(vault.caller, input, { signal })
      await expect(call).rejects.toBe(failure)
      expect(listenersOf(signal)).toBe(0)
    },
  )
})

describe('readFileContent with a signal', () => {
  it('returns a stream that fails with the reason when the signal is aborted', async () => {
    const vault = await createTestVault()
    const controller = new AbortController()
    const { signal } = controller
    const ref = fileRef(vault, vault.largeFile)
    const { content } = await vault.service.readFileContent(vault.caller, ref, { signal })
    controller.abort(reason)
    await expect(new Response(content).bytes()).rejects.toBe(reason)
    expect(listenersOf(signal)).toBe(0)
  })

  it('leaves no listener when the stream was read or cancelled', async () => {
    const vault = await createTestVault()
    const { signal } = new AbortController()
    const ref = fileRef(vault, vault.largeFile)
    const one = await vault.service.readFileContent(vault.caller, ref, { signal })
    expect((await new Response(one.content).bytes()).length).toBe(1025)
    const other = await vault.service.readFileContent(vault.caller, ref, { signal })
    await other.content.cancel()
    await new Promise((resolve) => setTimeout(resolve))
    expect(listenersOf(signal)).toBe(0)
  })
})

/** Leaves two pending blobs in the vault, which are old enough to be collected. */
async function prepare({ store, caller, clock, vaultId, item }: TestVault): Promise<void> {
  const failing = createFaultyStore(store, ({ collection, method }) =>
    collection?.startsWith('items/') && method === 'put' ? 'fail-before' : undefined,
  )
  const service = createVaultService({ store: failing, now: clock })
  for (const name of ['one', 'two']) {
    const input = { vaultId, itemId: item.id, name, content: Uint8Array.of(1) }
    await service.attachFile(caller, input).catch(() => {})
  }
  clock.advance(3_600_001)
}
