import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createMemoryActivityLog } from '../../../src/activity.js'
import { createVaultService } from '../../../src/index.js'
import { createSnapshotStore } from '../../../src/testing/hostile/snapshot-store.js'
import { createTestVault } from '../../../src/testing.js'
import { fileRef, itemRef } from '../../support/items/refs.js'
import { readEntries } from '../../support/service/activity-entries.js'

const reason = new Error('the client is gone')

function listenersOf(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length
}

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
