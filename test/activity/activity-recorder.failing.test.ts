import { describe, expect, it, vi } from 'vitest'
import { createActivityLog, createCallbackActivityLog } from '../../src/activity.js'
import {
  type ActivityLog,
  createCaller,
  createVaultService,
  StorageError,
  type VaultServiceOptions,
  type VaultStore,
} from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createTestClock, createTestVault } from '../../src/testing.js'
import { streamOf, utf8 } from '../support/bytes.js'
import { noteDraft } from '../support/drafts.js'
import { itemRef } from '../support/items/refs.js'
import {
  createSpyLog,
  expectedEntry,
  observedCalls,
  pickWrites,
} from '../support/service/observed-calls.js'
import { toCallRef } from '../support/service/operation-examples.js'
import { vaultCalls } from '../support/service/vault-calls.js'
import { createRecordingStore } from '../support/stores/stores.js'

const unavailable = { code: 'ACTIVITY_UNAVAILABLE', status: 503 }
const otherVault = createCaller({ id: 'otherVault', vaults: {} })
const logErrorMessage = 'cannot reach the log'

/** The calls that change something. */
const changes = observedCalls.filter(({ name }) => expectedEntry(name).action !== 'READ')

/** Logs that fail on every entry. */
const brokenLogs: Readonly<Record<string, ActivityLog>> = {
  rejects: createCallbackActivityLog(() => Promise.reject(new Error(logErrorMessage))),
  throws: createCallbackActivityLog(() => {
    throw new Error(logErrorMessage)
  }),
  'throws synchronously': createActivityLog({
    record() {
      throw logErrorMessage
    },
    async *entries() {},
  }),
}

/** A test vault with a second service that has `options`, and the store calls from now on. */
async function createVaultWith(options: Omit<VaultServiceOptions, 'store'>, inner?: VaultStore) {
  const store = createRecordingStore(inner)
  const vault = await createTestVault({ store })
  store.calls.length = 0
  const service = createVaultService({ ...options, store })
  return { ...vault, service, ref: itemRef(vault), callRef: toCallRef(vault), calls: store.calls }
}

describe('createActivityRecorder', () => {
  it.each(Object.entries(brokenLogs))(
    'rejects a read and a change with 503 when the log %s',
    async (_, activity) => {
      const { service, caller, ref, calls } = await createVaultWith({ activity })
      await expect(service.getItem(caller, ref)).rejects.toMatchObject(unavailable)
      await expect(service.deleteItem(caller, ref)).rejects.toMatchObject(unavailable)
      expect(pickWrites(calls)).toEqual([])
    },
  )

  describe.each([0, 5])('with a log that fails and %i older versions kept', (maxVersions) => {
    it.each(observedCalls)(
      'rejects $name with 503, writes nothing and calls the log once',
      async ({ run }) => {
        const activity = createSpyLog(() => Promise.reject(new Error(logErrorMessage)))
        const options = { activity, history: { maxVersions } }
        const { service, caller, callRef, calls } = await createVaultWith(options)
        await expect(run(service, caller, callRef)).rejects.toMatchObject(unavailable)
        expect(pickWrites(calls)).toEqual([])
        expect(activity.collected).toHaveLength(1)
      },
    )
  })

  describe('with a log that fails', () => {
    const { rejects: activity } = brokenLogs as { rejects: ActivityLog }

    it.each(vaultCalls)(
      'rejects $name with 503 when the call would be rejected anyway',
      async ({ run }) => {
        const { service, callRef, calls } = await createVaultWith({ activity })
        await expect(run(service, undefined, callRef)).rejects.toMatchObject(unavailable)
        await expect(run(service, otherVault, callRef)).rejects.toMatchObject(unavailable)
        expect(calls).toEqual([])
      },
    )

    it('rejects when the log does not settle within ten seconds', async () => {
      const { service, caller, ref, calls } = await createVaultWith({
        activity: createCallbackActivityLog(() => new Promise(() => {})),
      })
      vi.useFakeTimers()
      try {
        const settled = vi.fn()
        const deletion = service.deleteItem(caller, ref)
        deletion.then(settled, settled)
        await vi.advanceTimersByTimeAsync(9_999)
        expect(settled).not.toHaveBeenCalled()
        await vi.advanceTimersByTimeAsync(1)
        await expect(deletion).rejects.toMatchObject({
          ...unavailable,
          cause: { message: 'the activity log did not respond in time' },
        })
        expect(pickWrites(calls)).toEqual([])
      } finally {
        vi.useRealTimers()
      }
    })

    it('keeps an error of the library as the cause', async () => {
      const cause = new StorageError('the tables do not exist')
      const failing = createCallbackActivityLog(() => Promise.reject(cause))
      const { service, caller, ref } = await createVaultWith({ activity: failing })
      const error = await service.getItem(caller, ref).catch((thrown: StorageError) => thrown)
      expect((error as StorageError).cause).toBe(cause)
    })

    it('does not reveal the error of the log', async () => {
      const { service, caller, ref } = await createVaultWith({ activity })
      const error = await service.getItem(caller, ref).catch((thrown: StorageError) => thrown)
      expect(error).toBeInstanceOf(StorageError)
      expect((error as StorageError).message).toBe('the activity could not be recorded')
      expect(String((error as StorageError).cause)).toBe('Error: Error')
      expect(JSON.stringify(error)).toBe(
        '{"status":503,"message":"Service temporarily unavailable"}',
      )
    })

    it('collectGarbage keeps the leftovers of a crash', async () => {
      let isCrashed = false
      const { records, blobs } = createMemoryStore()
      const crashing: VaultStore = {
        records: {
          ...records,
          put: async (key, record, expectedVersion) => {
            if (isCrashed && key.collection.startsWith('items/')) throw new Error('crashed')
            return records.put(key, record, expectedVersion)
          },
        },
        blobs,
      }
      const now = createTestClock()
      const { service, caller, vaultId, ref, calls } = await createVaultWith(
        { activity, now },
        crashing,
      )
      const workingService = createVaultService({ store: crashing, now })
      isCrashed = true
      const file = { ...ref, name: 'a', content: utf8('a'), fileId: 'd'.repeat(26) }
      await expect(workingService.attachFile(caller, file)).rejects.toThrow('the store failed')
      isCrashed = false
      now.advance(7_200_000)
      await expect(service.collectGarbage(caller, { vaultId })).rejects.toMatchObject(unavailable)
      expect(pickWrites(calls)).toEqual([])
      await expect(workingService.collectGarbage(caller, { vaultId })).resolves.toBe(1)
    })

    it('attachFile rejects before a byte of the content is read', async () => {
      const { service, caller, ref, calls } = await createVaultWith({ activity })
      const pull = vi.fn()
      const content = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
      const upload = service.attachFile(caller, { ...ref, name: 'a', content })
      await expect(upload).rejects.toMatchObject(unavailable)
      expect([pull.mock.calls.length, pickWrites(calls)]).toEqual([0, []])
    })

    it('readFileContent cancels the content that it does not return', async () => {
      const cancelled = vi.fn()
      const { records, blobs } = createMemoryStore()
      const openBlob = (): ReadableStream<Uint8Array> => new ReadableStream({ cancel: cancelled })
      const store = { records, blobs: { ...blobs, read: async () => openBlob() } }
      const { service, caller, callRef } = await createVaultWith({ activity }, store)
      await expect(service.readFileContent(caller, callRef)).rejects.toMatchObject(unavailable)
      expect(cancelled).toHaveBeenCalledOnce()
    })

    it('readFileContent rejects in the same way when the content cannot be cancelled', async () => {
      const { records, blobs } = createMemoryStore()
      const cancel = (): Promise<never> => Promise.reject(new Error(logErrorMessage))
      const store = {
        records,
        blobs: { ...blobs, read: async () => new ReadableStream({ cancel }) },
      }
      const { service, caller, callRef } = await createVaultWith({ activity }, store)
      await expect(service.readFileContent(caller, callRef)).rejects.toMatchObject(unavailable)
    })
  })

  describe('with a log that fails from the second entry on', () => {
    /** A log that rejects every entry but the first. */
    function logOfOneEntry(): ActivityLog {
      let count = 0
      return createCallbackActivityLog(() =>
        count++ === 0 ? undefined : Promise.reject(new Error(logErrorMessage)),
      )
    }

    it('getItems returns none of the items', async () => {
      const { service, caller, vaultId, item, store } = await createVaultWith({
        activity: logOfOneEntry(),
      })
      const workingService = createVaultService({ store })
      const other = await workingService.createItem(caller, { vaultId, item: noteDraft(vaultId) })
      const items = service.getItems(caller, { vaultId, itemIds: [item.id, other.id] })
      await expect(items).rejects.toMatchObject(unavailable)
    })

    it.each(changes)('$name is made, and its outcome is reported to onError', async ({ run }) => {
      const onError = vi.fn()
      const { service, caller, callRef } = await createVaultWith({
        activity: logOfOneEntry(),
        onError,
      })
      await run(service, caller, callRef)
      expect(onError).toHaveBeenCalledOnce()
      expect(onError.mock.calls[0]?.[0]).toMatchObject(unavailable)
    })

    it('prints the outcome that is not recorded when there is no onError', async () => {
      const print = vi.spyOn(console, 'error').mockImplementation(() => {})
      const { service, caller, ref } = await createVaultWith({ activity: logOfOneEntry() })
      await service.deleteItem(caller, ref)
      expect(print).toHaveBeenCalledOnce()
      expect(print.mock.calls[0]?.[0]).toMatch(
        /^cofferkit: ActivityUnavailableError .+ request .+$/,
      )
      expect(print.mock.calls[0]?.[0]).not.toContain(logErrorMessage)
      print.mockRestore()
    })

    it('attachFile rejects with its own error when its rejection cannot be recorded', async () => {
      const onError = vi.fn()
      const { service, caller, vaultId, item } = await createVaultWith({
        activity: logOfOneEntry(),
        onError,
      })
      const content = streamOf([utf8('half')], new Error('the client disconnected'))
      const upload = { vaultId, itemId: item.id, name: 'a', content }
      await expect(service.attachFile(caller, upload)).rejects.toThrow('the client disconnected')
      expect(onError).toHaveBeenCalledOnce()
    })

    it('does not wait for the outcome of a change longer than a second', async () => {
      let count = 0
      const activity = createCallbackActivityLog(() =>
        count++ === 0 ? undefined : new Promise(() => {}),
      )
      const onError = vi.fn()
      const { service, caller, ref } = await createVaultWith({ activity, onError })
      vi.useFakeTimers()
      try {
        const settled = vi.fn()
        const deletion = service.deleteItem(caller, ref).then(settled)
        await vi.advanceTimersByTimeAsync(999)
        expect(settled).not.toHaveBeenCalled()
        await vi.advanceTimersByTimeAsync(1)
        await deletion
        expect(onError).toHaveBeenCalledOnce()
      } finally {
        vi.useRealTimers()
      }
    })
  })

  describe('with a slow log', () => {
    it.each(observedCalls)(
      'waits for the log before $name writes or returns anything',
      async ({ run }) => {
        const logged = Promise.withResolvers<void>()
        const logCalled = Promise.withResolvers<void>()
        const activity = createCallbackActivityLog(() => {
          logCalled.resolve()
          return logged.promise
        })
        const { service, caller, callRef, calls } = await createVaultWith({ activity })
        const settled = vi.fn()
        const call = run(service, caller, callRef).finally(settled)
        await logCalled.promise
        await new Promise((resolve) => setTimeout(resolve, 2))
        expect([settled.mock.calls.length, pickWrites(calls)]).toEqual([0, []])
        logged.resolve()
        await call
      },
    )
  })
})
