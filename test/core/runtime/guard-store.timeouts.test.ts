import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createStoredActivityLog } from '../../../src/activity.js'
import { toChunks } from '../../../src/base/blob-content.js'
import {
  type BlobContent,
  createVaultService,
  type VaultService,
  type VaultServiceOptions,
  type VaultStore,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestClock } from '../../../src/testing.js'
import { streamOf, utf8 } from '../../support/bytes.js'
import { createTestVault } from '../../support/http/checked-handlers.js'
import { createRequest, itemUrl } from '../../support/http/requests.js'
import { itemRef } from '../../support/items/refs.js'
import { createEntry, readEntries } from '../../support/service/activity-entries.js'
import { toCallRef } from '../../support/service/operation-examples.js'
import { createHangingStore } from '../../support/stores/hanging-store.js'
import { useVirtualTime } from '../../support/virtual-time.js'

const storeTimeoutMs = 100
const unavailable = {
  code: 'STORAGE_UNAVAILABLE',
  status: 503,
  message: 'the store did not respond in time',
}
const patch = [{ op: 'add', path: '/title', value: 'Mine' }] as const
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

beforeEach(useVirtualTime)

/** A test vault on a store whose calls can hang, and a service with a short store timeout. */
async function hangingVault(options: Partial<VaultServiceOptions> = {}) {
  const store = createHangingStore(createMemoryStore())
  const vault = await createTestVault({ store })
  const service = createVaultService({ store, storeTimeoutMs, ...options })
  return { ...vault, service, store, ref: itemRef(vault), callRef: toCallRef(vault) }
}

type HangingVault = Awaited<ReturnType<typeof hangingVault>>
type Call = (service: VaultService, vault: HangingVault) => Promise<unknown>

const attach: Call = (service, { caller, ref }) =>
  service.attachFile(caller, { ...ref, name: 'new', content: utf8('new') })

const calls: readonly (readonly [name: string, collection: string, call: Call])[] = [
  ['records.get', 'items/', (service, { caller, ref }) => service.getItem(caller, ref)],
  ['records.get', 'vaults', (service) => service.checkHealth()],
  [
    'records.get',
    'items/',
    (service, { caller, callRef }) => service.getFileDetails(caller, callRef),
  ],
  [
    'records.put',
    'items/',
    (service, { caller, ref }) => service.patchItem(caller, { ...ref, patch }),
  ],
  [
    'records.put',
    'versions/',
    (service, { caller, ref }) => service.patchItem(caller, { ...ref, patch }),
  ],
  ['records.put', 'pending-blobs/', attach],
  ['records.delete', 'items/', (service, { caller, ref }) => service.deleteItem(caller, ref)],
  [
    'records.list',
    'items/',
    (service, { caller, vaultId }) => service.listItems(caller, { vaultId }),
  ],
  ['blobs.read', '', (service, { caller, callRef }) => service.readFileContent(caller, callRef)],
  [
    'blobs.read',
    '',
    (service, { caller, callRef }) =>
      service.getFileDetails(caller, { ...callRef, inlineFiles: true }),
  ],
  ['blobs.write', '', attach],
]

describe('guardStore', () => {
  it.each(calls)(
    'rejects when %s in "%s" never settles, and runs the next call',
    async (name, collection, call) => {
      const vault = await hangingVault({ history: { maxVersions: 2 } })
      const { service, caller, ref, store } = vault
      store.hang(name, collection)
      const startedAt = performance.now()
      const hanging = call(service, vault)
      const next = service.patchItem(caller, { ...ref, patch })
      await expect(hanging).rejects.toMatchObject(unavailable)
      expect(performance.now() - startedAt).toBe(storeTimeoutMs)
      expect(await next).toMatchObject({ title: 'Mine' })
      expect(service.stats.storeErrors).toBe(1)
    },
  )

  it('leaves the blob to collectGarbage when blobs.delete never settles', async () => {
    const now = createTestClock()
    const vault = await hangingVault({ now })
    const { service, caller, callRef, store, vaultId } = vault
    store.hang('blobs.delete')
    await service.removeFile(caller, callRef)
    expect(service.stats.storeErrors).toBe(1)
    now.advance(7_200_000)
    expect(await service.collectGarbage(caller, { vaultId })).toBe(1)
  })

  it('returns 503 over HTTP when a call of the store never settles', async () => {
    const vault = await createTestVault({
      store: createHangingStore(createMemoryStore()),
      storeTimeoutMs,
    })
    const store = vault.store as ReturnType<typeof createHangingStore>
    store.hang('records.get')
    const response = await vault.handler(createRequest(vault, 'GET', itemUrl(vault)))
    expect([response.status, response.headers['retry-after']]).toEqual([503, '1'])
  })

  it('does not overwrite a later change when a write that timed out happens after it', async () => {
    const { service, caller, ref, store } = await hangingVault()
    const release = store.hang('records.put', 'items/')
    await expect(service.patchItem(caller, { ...ref, patch })).rejects.toMatchObject(unavailable)
    const laterPatch = [{ op: 'add', path: '/title', value: 'Later' }] as const
    expect((await service.patchItem(caller, { ...ref, patch: laterPatch })).version).toBe(4)
    release()
    await sleep(5)
    expect(await service.getItem(caller, ref)).toMatchObject({ version: 4, title: 'Later' })
  })

  it('reads a write that happened after its timeout', async () => {
    const { service, caller, ref, store } = await hangingVault()
    const release = store.hang('records.put', 'items/')
    await expect(service.patchItem(caller, { ...ref, patch })).rejects.toMatchObject(unavailable)
    release()
    await sleep(5)
    expect(await service.getItem(caller, ref)).toMatchObject({ version: 4, title: 'Mine' })
  })

  it('ignores the late result of a call and counts one store error', async () => {
    const { records, blobs } = createMemoryStore()
    const get = () => sleep(2 * storeTimeoutMs).then(() => Promise.reject(new Error('too late')))
    const store = { records: { ...records, get }, blobs }
    const service = createVaultService({ store, storeTimeoutMs })
    await expect(service.checkHealth()).rejects.toMatchObject(unavailable)
    await sleep(2 * storeTimeoutMs)
    expect(service.stats.storeErrors).toBe(1)
  })

  it('cancels a stream that arrives after the timeout', async () => {
    const vault = await createTestVault()
    const cancelled = vi.fn(() => Promise.reject(new Error('cannot be closed')))
    const read = () =>
      sleep(2 * storeTimeoutMs).then(() => new ReadableStream({ cancel: cancelled }))
    const store = { ...vault.store, blobs: { ...vault.store.blobs, read } }
    const service = createVaultService({ store, storeTimeoutMs })
    const content = service.readFileContent(vault.caller, toCallRef(vault))
    await expect(content).rejects.toMatchObject(unavailable)
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce())
  })

  it('fails and cancels a stream that stalls', async () => {
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
    const { content } = await service.readFileContent(vault.caller, toCallRef(vault))
    const reader = content.getReader()
    expect((await reader.read()).value).toEqual(utf8('he'))
    await expect(reader.read()).rejects.toMatchObject(unavailable)
    expect([cancelled.mock.calls.length, service.stats.storeErrors]).toEqual([1, 1])
  })

  it('does not limit the time that a reader of a stream takes', async () => {
    const { service, caller, callRef } = await hangingVault()
    const { content } = await service.readFileContent(caller, callRef)
    const reader = content.getReader()
    await sleep(3 * storeTimeoutMs)
    expect((await reader.read()).value).toEqual(utf8('hello'))
    await sleep(3 * storeTimeoutMs)
    expect((await reader.read()).done).toBe(true)
  })
})

describe('guardStore with an upload', () => {
  /** A stream whose chunks come after pauses that are longer than the store timeout. */
  function slowStream(): ReadableStream<Uint8Array> {
    const chunks = ['a', 'b', 'c'].map(utf8)
    return new ReadableStream({
      async pull(controller) {
        await sleep(2.5 * storeTimeoutMs)
        const chunk = chunks.shift()
        if (chunk === undefined) controller.close()
        else controller.enqueue(chunk)
      },
    })
  }

  /** A test vault whose store writes blobs with `write`. */
  async function vaultWithWrite(write: VaultStore['blobs']['write']) {
    const vault = await createTestVault()
    const { records, blobs } = vault.store
    const service = createVaultService({
      store: { records, blobs: { ...blobs, write } },
      storeTimeoutMs,
    })
    return { ...vault, service, ref: itemRef(vault), callRef: toCallRef(vault) }
  }

  it('accepts a slow client', async () => {
    const { service, caller, ref } = await hangingVault()
    const content = slowStream()
    const upload = { vaultId: ref.vaultId, itemId: ref.itemId, name: 'slow', content }
    expect(await service.attachFile(caller, upload)).toMatchObject({ size: 3 })
    expect(service.stats.storeErrors).toBe(0)
  })

  it('accepts a store that makes slow progress', async () => {
    const vault = await createTestVault()
    async function* slowChunks(content: BlobContent): AsyncGenerator<Uint8Array> {
      for await (const chunk of toChunks(content)) {
        await sleep(storeTimeoutMs / 2)
        yield chunk
      }
    }
    const slowWrite: VaultStore['blobs']['write'] = (id, content) =>
      vault.store.blobs.write(id, slowChunks(content))
    const { service, caller, ref } = await vaultWithWrite(slowWrite)
    const content = streamOf('abcdef'.split('').map(utf8))
    const upload = { ...ref, name: 'slow', content }
    expect(await service.attachFile(caller, upload)).toMatchObject({ size: 6 })
  })

  it('rejects and leaves no partial file when the store stops reading', async () => {
    let received = ''
    let end: unknown
    const { service, caller, ref } = await vaultWithWrite(async (_id, content) => {
      const chunks = toChunks(content)
      received = new TextDecoder().decode((await chunks.next()).value)
      await sleep(4 * storeTimeoutMs)
      end = await chunks.next().then(
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
    const upload = { ...ref, name: 'stuck', content }
    await expect(service.attachFile(caller, upload)).rejects.toMatchObject(unavailable)
    expect([received, service.stats.storeErrors]).toEqual(['first', 1])
    expect(cancelled).toHaveBeenCalledOnce()
    await vi.waitFor(() => expect(end).toMatchObject(unavailable))
    expect((await service.getItem(caller, ref)).files).toHaveLength(2)
  })

  it('rejects when the store reads the whole stream and never settles', async () => {
    const { service, caller, ref } = await vaultWithWrite(async (_id, content) => {
      for await (const _ of content);
      await new Promise(() => {})
    })
    const upload = { ...ref, name: 'stuck', content: utf8('all') }
    await expect(service.attachFile(caller, upload)).rejects.toMatchObject(unavailable)
  })

  it('leaves the blob to collectGarbage when it is written after the timeout', async () => {
    const now = createTestClock()
    const { service, caller, ref, store, vaultId } = await hangingVault({ now })
    const release = store.hang('records.put', 'items/')
    const upload = { ...ref, name: 'late', content: utf8('late') }
    await expect(service.attachFile(caller, upload)).rejects.toMatchObject(unavailable)
    await service.patchItem(caller, { ...ref, patch })
    release()
    await sleep(5)
    expect((await service.getItem(caller, ref)).files).toHaveLength(2)
    now.advance(7_200_000)
    expect(await service.collectGarbage(caller, { vaultId })).toBe(1)
  })
})

describe('createStoreGuard with storeTimeoutMs', () => {
  it.each([0, -1, Number.NaN, '5' as never, null as never])('throws for %j', (timeout) => {
    const store = createMemoryStore()
    const Wrong = typeof timeout === 'number' ? RangeError : TypeError
    const error = new Wrong('options.storeTimeoutMs must be a number of 1 or more, or Infinity')
    expect(() => createVaultService({ store, storeTimeoutMs: timeout })).toThrow(error)
    expect(() => createStoredActivityLog(store, { storeTimeoutMs: timeout })).toThrow(error)
  })

  it.each([
    ['defaults to 30,000', {}, 30_000],
    ['accepts a value beyond the maximum of a timer', { storeTimeoutMs: 2 ** 40 }, undefined],
    ['accepts Infinity', { storeTimeoutMs: Number.POSITIVE_INFINITY }, undefined],
  ])('%s', async (_, options, end) => {
    const store = createHangingStore(createMemoryStore())
    const service = createVaultService({ store, ...options })
    vi.setTimerTickMode('manual')
    const settled = vi.fn()
    store.hang('records.get')
    service.checkHealth().then(settled, settled)
    await vi.advanceTimersByTimeAsync((end ?? 86_400_000) - 1)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(settled).toHaveBeenCalledTimes(end === undefined ? 0 : 1)
  })

  it('applies to a stored activity log', async () => {
    const store = createHangingStore(createMemoryStore())
    const log = createStoredActivityLog(store, { storeTimeoutMs })
    store.hang('records.put')
    await expect(log.record(createEntry('a'))).rejects.toMatchObject(unavailable)
    const entry = createEntry('b')
    await log.record(entry)
    store.hang('records.list')
    await expect(readEntries(log)).rejects.toMatchObject(unavailable)
    expect(await readEntries(log)).toEqual([entry])
  })
})
