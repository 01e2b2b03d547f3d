import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  createStoredActivityLog,
  createVaultService,
  type VaultService,
  type VaultServiceOptions,
  type VaultStore,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestClock } from '../../../src/testing.js'
import { streamOf, utf8 } from '../../support/bytes.js'
import { createTestVault } from '../../support/http/checked-handlers.js'
import { itemUrl, requestTo } from '../../support/http/requests.js'
import { entryOf, listOf } from '../../support/service/activity-entries.js'
import { placeOf } from '../../support/service/observed-calls.js'
import { hangingStore } from '../../support/stores/hanging-store.js'

const storeTimeoutMs = 40
const unavailable = {
  code: 'STORAGE_UNAVAILABLE',
  status: 503,
  message: 'the store did not respond in time',
}
const patch = [{ op: 'add', path: '/title', value: 'Mine' }] as const
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** A test vault on a store whose calls can hang, and a service on it that waits for a short time. */
async function hangingVault(options: Partial<VaultServiceOptions> = {}) {
  const store = hangingStore(createMemoryStore())
  const vault = await createTestVault({ store })
  const service = createVaultService({ store, storeTimeoutMs, ...options })
  return { ...vault, service, store, place: placeOf(vault) }
}

type HangingVault = Awaited<ReturnType<typeof hangingVault>>
type Place = HangingVault['place']
type Call = (service: VaultService, vault: HangingVault, ref: Place) => Promise<unknown>

const attach: Call = (service, { caller }, { vaultId, itemId }) =>
  service.attachFile(caller, { vaultId, itemId, name: 'new', content: utf8('new') })

const calls: readonly (readonly [name: string, collection: string, call: Call])[] = [
  ['records.get', 'items/', (service, { caller }, ref) => service.getItem(caller, ref)],
  ['records.get', 'vaults', (service) => service.checkHealth()],
  ['records.get', 'items/', (service, { caller }, ref) => service.getFileDetails(caller, ref)],
  [
    'records.put',
    'items/',
    (service, { caller }, ref) => service.patchItem(caller, { ...ref, patch }),
  ],
  [
    'records.put',
    'versions/',
    (service, { caller }, ref) => service.patchItem(caller, { ...ref, patch }),
  ],
  ['records.put', 'pending-blobs/', attach],
  ['records.delete', 'items/', (service, { caller }, ref) => service.deleteItem(caller, ref)],
  [
    'records.list',
    'items/',
    (service, { caller, vaultId }) => service.listItems(caller, { vaultId }),
  ],
  ['blobs.read', '', (service, { caller }, ref) => service.readFileContent(caller, ref)],
  [
    'blobs.read',
    '',
    (service, { caller }, ref) => service.getFileDetails(caller, { ...ref, inlineFiles: true }),
  ],
  ['blobs.write', '', attach],
]

describe('guardStore', () => {
  it.each(calls)(
    'gives up a %s in "%s" that never settles, and lets the next call proceed',
    async (name, collection, call) => {
      const vault = await hangingVault({ history: { maxVersions: 2 } })
      const { service, caller, place: ref, store } = vault
      store.hang(name, collection)
      const began = performance.now()
      const hanging = call(service, vault, ref)
      const next = service.patchItem(caller, { ...ref, patch })
      await expect(hanging).rejects.toMatchObject(unavailable)
      expect(performance.now() - began).toBeGreaterThanOrEqual(storeTimeoutMs - 2)
      expect(await next).toMatchObject({ title: 'Mine' })
      expect(service.stats.storeErrors).toBe(1)
    },
  )

  it('gives up a blobs.delete that never settles, which leaves the content for collectGarbage', async () => {
    const now = createTestClock()
    const vault = await hangingVault({ now })
    const { service, caller, place: ref, store, vaultId } = vault
    store.hang('blobs.delete')
    await service.removeFile(caller, ref)
    expect(service.stats.storeErrors).toBe(1)
    now.advance(7_200_000)
    expect(await service.collectGarbage(caller, { vaultId })).toBe(1)
  })

  it('is 503 over HTTP when a call of the store never settles', async () => {
    const vault = await createTestVault({
      store: hangingStore(createMemoryStore()),
      storeTimeoutMs,
    })
    const store = vault.store as ReturnType<typeof hangingStore>
    store.hang('records.get')
    const response = await vault.handler(requestTo(vault, 'GET', itemUrl(vault)))
    expect([response.status, response.headers['retry-after']]).toEqual([503, '1'])
  })

  it('leaves open whether a write happened that never settled, and writes nothing twice', async () => {
    const { service, caller, place: ref, store } = await hangingVault()
    const release = store.hang('records.put', 'items/')
    await expect(service.patchItem(caller, { ...ref, patch })).rejects.toMatchObject(unavailable)
    const theirs = [{ op: 'add', path: '/title', value: 'Theirs' }] as const
    expect((await service.patchItem(caller, { ...ref, patch: theirs })).version).toBe(4)
    release()
    await pause(5)
    expect(await service.getItem(caller, ref)).toMatchObject({ version: 4, title: 'Theirs' })
  })

  it('sees a write that happened after it was given up', async () => {
    const { service, caller, place: ref, store } = await hangingVault()
    const release = store.hang('records.put', 'items/')
    await expect(service.patchItem(caller, { ...ref, patch })).rejects.toMatchObject(unavailable)
    release()
    await pause(5)
    expect(await service.getItem(caller, ref)).toMatchObject({ version: 4, title: 'Mine' })
  })

  it('ignores how a call ends that was given up, and counts it once', async () => {
    const { records, blobs } = createMemoryStore()
    const get = () => pause(2 * storeTimeoutMs).then(() => Promise.reject(new Error('too late')))
    const store = { records: { ...records, get }, blobs }
    const service = createVaultService({ store, storeTimeoutMs })
    await expect(service.checkHealth()).rejects.toMatchObject(unavailable)
    await pause(2 * storeTimeoutMs)
    expect(service.stats.storeErrors).toBe(1)
  })

  it('cancels a content that comes after it was given up', async () => {
    const vault = await createTestVault()
    const cancelled = vi.fn(() => Promise.reject(new Error('cannot be closed')))
    const read = () =>
      pause(2 * storeTimeoutMs).then(() => new ReadableStream({ cancel: cancelled }))
    const store = { ...vault.store, blobs: { ...vault.store.blobs, read } }
    const service = createVaultService({ store, storeTimeoutMs })
    const content = service.readFileContent(vault.caller, placeOf(vault))
    await expect(content).rejects.toMatchObject(unavailable)
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce())
  })

  it('ends a content whose store stops in the middle, and closes it', async () => {
    const vault = await createTestVault()
    const cancelled = vi.fn()
    const read = async () =>
      new ReadableStream<Uint8Array>(
        {
          pull: (controller) => {
            if (controller.desiredSize === 2) controller.enqueue(utf8('he'))
            return new Promise(() => {})
          },
          cancel: cancelled,
        },
        { highWaterMark: 2 },
      )
    const store = { ...vault.store, blobs: { ...vault.store.blobs, read } }
    const service = createVaultService({ store, storeTimeoutMs })
    const { content } = await service.readFileContent(vault.caller, placeOf(vault))
    const reader = content.getReader()
    expect((await reader.read()).value).toEqual(utf8('he'))
    await expect(reader.read()).rejects.toMatchObject(unavailable)
    expect([cancelled.mock.calls.length, service.stats.storeErrors]).toEqual([1, 1])
  })

  it('lets a reader of a content take his time', async () => {
    const { service, caller, place: ref } = await hangingVault()
    const { content } = await service.readFileContent(caller, ref)
    const reader = content.getReader()
    await pause(3 * storeTimeoutMs)
    expect((await reader.read()).value).toEqual(utf8('hello'))
    await pause(3 * storeTimeoutMs)
    expect((await reader.read()).done).toBe(true)
  })
})

describe('guardStore, an upload', () => {
  /** A content whose chunks come after pauses that are longer than the store may take. */
  function slow(): ReadableStream<Uint8Array> {
    const chunks = ['a', 'b', 'c'].map(utf8)
    return new ReadableStream({
      async pull(controller) {
        await pause(2.5 * storeTimeoutMs)
        const chunk = chunks.shift()
        if (chunk === undefined) controller.close()
        else controller.enqueue(chunk)
      },
    })
  }

  /** A service whose store writes contents with `write`. */
  async function writingVault(write: VaultStore['blobs']['write']) {
    const vault = await createTestVault()
    const { records, blobs } = vault.store
    const service = createVaultService({
      store: { records, blobs: { ...blobs, write } },
      storeTimeoutMs,
    })
    return { ...vault, service, place: placeOf(vault) }
  }

  it('is not refused for a client that is slow', async () => {
    const { service, caller, place: ref } = await hangingVault()
    const content = slow()
    const upload = { vaultId: ref.vaultId, itemId: ref.itemId, name: 'slow', content }
    expect(await service.attachFile(caller, upload)).toMatchObject({ size: 3 })
    expect(service.stats.storeErrors).toBe(0)
  })

  it('is not refused for a store that takes a part now and then', async () => {
    const vault = await createTestVault()
    const slowly: VaultStore['blobs']['write'] = (id, content) =>
      vault.store.blobs.write(
        id,
        content.pipeThrough(
          new TransformStream({
            async transform(chunk, controller) {
              await pause(storeTimeoutMs / 2)
              controller.enqueue(chunk)
            },
          }),
        ),
      )
    const { service, caller, place: ref } = await writingVault(slowly)
    const content = streamOf('abcdef'.split('').map(utf8))
    const upload = { ...ref, fileId: undefined, name: 'slow', content }
    expect(await service.attachFile(caller, upload)).toMatchObject({ size: 6 })
  })

  it('is refused when the store stops reading, and leaves nothing that is taken for the whole', async () => {
    let taken = ''
    let end: unknown
    const {
      service,
      caller,
      place: ref,
    } = await writingVault(async (_id, content) => {
      const reader = content.getReader()
      taken = new TextDecoder().decode((await reader.read()).value)
      await pause(4 * storeTimeoutMs)
      end = await reader.read().then(
        () => 'more',
        (error: unknown) => error,
      )
    })
    const cancelled = vi.fn()
    const content = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(utf8('first')),
      pull: (controller) => controller.enqueue(utf8('more')),
      cancel: cancelled,
    })
    const upload = { ...ref, fileId: undefined, name: 'stuck', content }
    await expect(service.attachFile(caller, upload)).rejects.toMatchObject(unavailable)
    expect([taken, service.stats.storeErrors]).toEqual(['first', 1])
    expect(cancelled).toHaveBeenCalledOnce()
    await vi.waitFor(() => expect(end).toMatchObject(unavailable))
    expect((await service.getItem(caller, ref)).files).toHaveLength(2)
  })

  it('is refused when the store has read all of it and does not settle', async () => {
    const {
      service,
      caller,
      place: ref,
    } = await writingVault(async (_id, content) => {
      for await (const _ of content);
      await new Promise(() => {})
    })
    const upload = { ...ref, fileId: undefined, name: 'stuck', content: utf8('all') }
    await expect(service.attachFile(caller, upload)).rejects.toMatchObject(unavailable)
  })

  it('is found by collectGarbage when it was written after it was given up', async () => {
    const now = createTestClock()
    const { service, caller, place: ref, store, vaultId } = await hangingVault({ now })
    const release = store.hang('records.put', 'items/')
    const upload = { ...ref, fileId: undefined, name: 'late', content: utf8('late') }
    await expect(service.attachFile(caller, upload)).rejects.toMatchObject(unavailable)
    await service.patchItem(caller, { ...ref, patch })
    release()
    await pause(5)
    expect((await service.getItem(caller, ref)).files).toHaveLength(2)
    now.advance(7_200_000)
    expect(await service.collectGarbage(caller, { vaultId })).toBe(1)
  })
})

describe('storeTimeoutMs', () => {
  afterEach(() => void vi.useRealTimers())

  it.each([0, -1, Number.NaN, '5' as never, null as never])('refuses %j', (timeout) => {
    const store = createMemoryStore()
    const error = new RangeError('storeTimeoutMs must be a number greater than 0')
    expect(() => createVaultService({ store, storeTimeoutMs: timeout })).toThrow(error)
    expect(() => createStoredActivityLog(store, { storeTimeoutMs: timeout })).toThrow(error)
  })

  it.each([
    ['is 30,000 unless it is given', {}, 30_000],
    ['may be longer than a timer can take', { storeTimeoutMs: 2 ** 40 }, undefined],
    ['may be Infinity', { storeTimeoutMs: Number.POSITIVE_INFINITY }, undefined],
  ])('%s', async (_, options, end) => {
    const store = hangingStore(createMemoryStore())
    const service = createVaultService({ store, ...options })
    vi.useFakeTimers()
    const settled = vi.fn()
    store.hang('records.get')
    service.checkHealth().then(settled, settled)
    await vi.advanceTimersByTimeAsync((end ?? 86_400_000) - 1)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(settled).toHaveBeenCalledTimes(end === undefined ? 0 : 1)
  })

  it('is also that of a log in a store', async () => {
    const store = hangingStore(createMemoryStore())
    const log = createStoredActivityLog(store, { storeTimeoutMs })
    store.hang('records.put')
    await expect(log.record(entryOf('a'))).rejects.toMatchObject(unavailable)
    await log.record(entryOf('b'))
    store.hang('records.list')
    await expect(listOf(log)).rejects.toMatchObject(unavailable)
    expect(await listOf(log)).toEqual([entryOf('b')])
  })
})
