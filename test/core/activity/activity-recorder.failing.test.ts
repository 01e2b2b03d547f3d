import { describe, expect, it, vi } from 'vitest'
import {
  type ActivityLog,
  createCallbackActivityLog,
  createCaller,
  createVaultService,
  StorageError,
  type VaultServiceOptions,
  type VaultStore,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestClock, createTestVault, noteDraft } from '../../../src/testing.js'
import { streamOf, utf8 } from '../../support/bytes.js'
import {
  changesAmong,
  observedCalls,
  placeOf,
  spyLog,
} from '../../support/service/observed-calls.js'
import { vaultCalls } from '../../support/service/vault-calls.js'
import { recordingStore } from '../../support/stores/stores.js'

const unavailable = { code: 'ACTIVITY_UNAVAILABLE', status: 503 }
const otherVault = createCaller('otherVault', {})
const words = 'cannot reach the log of somebody'

/** Logs that take nothing. */
const brokenLogs: Readonly<Record<string, ActivityLog>> = {
  rejects: createCallbackActivityLog(() => Promise.reject(new Error(words))),
  throws: createCallbackActivityLog(() => {
    throw new Error(words)
  }),
  'throws before it has a promise': {
    record() {
      throw words
    },
    async *entries() {},
  },
}

/** A test vault, a second service on its store that has `options`, and the calls of the store from now on. */
async function vaultWith(options: Omit<VaultServiceOptions, 'store'>, inner?: VaultStore) {
  const store = recordingStore(inner)
  const vault = await createTestVault({ store })
  store.calls.length = 0
  const service = createVaultService({ ...options, store })
  return { ...vault, service, place: placeOf(vault), calls: store.calls }
}

const logs = Object.entries(brokenLogs).flatMap(([how, activity]) =>
  [0, 5].map((maxVersions) => ({
    how,
    maxVersions,
    options: { activity, history: { maxVersions } },
  })),
)

describe.each(logs)('a log that $how, with $maxVersions older versions kept', ({ options }) => {
  it.each(observedCalls)('lets nothing be written or answered: $name', async ({ run }) => {
    const { service, caller, place: ref, calls } = await vaultWith(options)
    await expect(run(service, caller, ref)).rejects.toMatchObject(unavailable)
    expect(changesAmong(calls)).toEqual([])
  })
})

describe('a log that fails', () => {
  const { rejects: activity } = brokenLogs as { rejects: ActivityLog }

  it.each(vaultCalls)('is also why a refusal is answered with 503: $name', async ({ run }) => {
    const { service, place: ref, calls } = await vaultWith({ activity })
    await expect(run(service, undefined, ref)).rejects.toMatchObject(unavailable)
    await expect(run(service, otherVault, ref)).rejects.toMatchObject(unavailable)
    expect(calls).toEqual([])
  })

  it('has failed when it has not taken an entry within ten seconds', async () => {
    const {
      service,
      caller,
      place: ref,
      calls,
    } = await vaultWith({
      activity: createCallbackActivityLog(() => new Promise(() => {})),
    })
    vi.useFakeTimers()
    try {
      const settled = vi.fn()
      const removed = service.deleteItem(caller, ref)
      removed.then(settled, settled)
      await vi.advanceTimersByTimeAsync(9_999)
      expect(settled).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(1)
      await expect(removed).rejects.toMatchObject(unavailable)
      expect(changesAmong(calls)).toEqual([])
    } finally {
      vi.useRealTimers()
    }
  })

  it('is asked once, not again about its own failure', async () => {
    const log = spyLog(() => Promise.reject(new Error(words)))
    for (const { run } of observedCalls) {
      const { service, caller, place: ref } = await vaultWith({ activity: log })
      log.told.length = 0
      await expect(run(service, caller, ref)).rejects.toThrow()
      expect(log.told).toHaveLength(1)
    }
  })

  it('says nothing of what it said', async () => {
    const { service, caller, place: ref } = await vaultWith({ activity })
    const error = await service.getItem(caller, ref).catch((thrown: StorageError) => thrown)
    expect(error).toBeInstanceOf(StorageError)
    expect((error as StorageError).message).toBe('the activity could not be recorded')
    expect(String((error as StorageError).cause)).toBe('Error: Error')
    expect(JSON.stringify(error)).toBe('{"status":503,"message":"Service temporarily unavailable"}')
  })

  it('leaves what a crash has left behind where it is', async () => {
    let isCrashed = false
    const { records, blobs } = createMemoryStore()
    const crashing: VaultStore = {
      records: {
        ...records,
        put: async (key, record, seen) => {
          if (isCrashed && key.collection.startsWith('items/')) throw new Error('crashed')
          return records.put(key, record, seen)
        },
      },
      blobs,
    }
    const now = createTestClock()
    const {
      service,
      caller,
      vaultId,
      place: ref,
      calls,
    } = await vaultWith({ activity, now }, crashing)
    const able = createVaultService({ store: crashing, now })
    isCrashed = true
    const file = { ...ref, name: 'a', content: utf8('a'), fileId: 'd'.repeat(26) }
    await expect(able.attachFile(caller, file)).rejects.toThrow('the store failed')
    isCrashed = false
    now.advance(7_200_000)
    await expect(service.collectGarbage(caller, { vaultId })).rejects.toMatchObject(unavailable)
    expect(changesAmong(calls)).toEqual([])
    await expect(able.collectGarbage(caller, { vaultId })).resolves.toBe(1)
  })

  it('stops an upload before a byte of it is read', async () => {
    const { service, caller, place: ref, calls } = await vaultWith({ activity })
    const pull = vi.fn()
    const content = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
    const upload = service.attachFile(caller, { ...ref, name: 'a', content })
    await expect(upload).rejects.toMatchObject(unavailable)
    expect([pull.mock.calls.length, changesAmong(calls)]).toEqual([0, []])
  })

  it('closes a content that is not answered', async () => {
    const cancelled = vi.fn()
    const { records, blobs } = createMemoryStore()
    const opened = (): ReadableStream<Uint8Array> => new ReadableStream({ cancel: cancelled })
    const store = { records, blobs: { ...blobs, read: async () => opened() } }
    const { service, caller, place: ref } = await vaultWith({ activity }, store)
    await expect(service.readFileContent(caller, ref)).rejects.toMatchObject(unavailable)
    expect(cancelled).toHaveBeenCalledOnce()
  })

  it('fails in the same way when the content cannot be closed', async () => {
    const { records, blobs } = createMemoryStore()
    const cancel = (): Promise<never> => Promise.reject(new Error(words))
    const store = { records, blobs: { ...blobs, read: async () => new ReadableStream({ cancel }) } }
    const { service, caller, place: ref } = await vaultWith({ activity }, store)
    await expect(service.readFileContent(caller, ref)).rejects.toMatchObject(unavailable)
  })
})

describe('a log that takes the first entry of a call and not the second', () => {
  /** A log that is `out` of order from the second entry on. */
  function tiring(): ActivityLog {
    let count = 0
    return createCallbackActivityLog(() =>
      count++ === 0 ? undefined : Promise.reject(new Error(words)),
    )
  }

  it('lets none of many items be answered', async () => {
    const { service, caller, vaultId, item, store } = await vaultWith({ activity: tiring() })
    const able = createVaultService({ store })
    const other = await able.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    const items = service.getItems(caller, { vaultId, itemIds: [item.id, other.id] })
    await expect(items).rejects.toMatchObject(unavailable)
  })

  it('stops a vault from being emptied at the first item', async () => {
    const { service, caller, vaultId, calls } = await vaultWith({ activity: tiring() })
    await expect(service.deleteVault(caller, { vaultId })).rejects.toMatchObject(unavailable)
    expect(changesAmong(calls)).toEqual([])
  })

  it('stops a change when it is tried again', async () => {
    const { records, blobs } = createMemoryStore()
    let rival: (() => Promise<unknown>) | undefined
    const store: VaultStore = {
      blobs,
      records: {
        ...records,
        put: async (key, record, seen) => {
          const overtaking = rival
          rival = undefined
          await overtaking?.()
          return records.put(key, record, seen)
        },
      },
    }
    const { service, caller, place: ref } = await vaultWith({ activity: tiring() }, store)
    const able = createVaultService({ store })
    const titled = (value: string) => [{ op: 'add', path: '/title', value }] as const
    rival = () => able.patchItem(caller, { ...ref, patch: titled('Theirs') })
    const change = service.patchItem(caller, { ...ref, patch: titled('Mine') })
    await expect(change).rejects.toMatchObject(unavailable)
    expect(await able.getItem(caller, ref)).toMatchObject({ version: 4, title: 'Theirs' })
  })

  it('fails with 503 when the refusal is what it does not take', async () => {
    const { service, caller, vaultId, item } = await vaultWith({ activity: tiring() })
    const content = streamOf([utf8('half')], new Error('the client is gone'))
    const upload = { vaultId, itemId: item.id, name: 'a', content }
    await expect(service.attachFile(caller, upload)).rejects.toMatchObject(unavailable)
  })
})

describe('a log that is slow', () => {
  it.each(observedCalls)(
    'is waited for before anything is written or answered: $name',
    async ({ run }) => {
      const gate = Promise.withResolvers<void>()
      const reached = Promise.withResolvers<void>()
      const activity = createCallbackActivityLog(() => {
        reached.resolve()
        return gate.promise
      })
      const { service, caller, place: ref, calls } = await vaultWith({ activity })
      const settled = vi.fn()
      const call = run(service, caller, ref).finally(settled)
      await reached.promise
      await new Promise((resolve) => setTimeout(resolve, 2))
      expect([settled.mock.calls.length, changesAmong(calls)]).toEqual([0, []])
      gate.resolve()
      await call
    },
  )
})
