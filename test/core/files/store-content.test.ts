import { describe, expect, it } from 'vitest'
import {
  type AttachFileInput,
  type BlobContent,
  createVaultService,
  type FileDetails,
  type ListedRecord,
  type VaultStore,
} from '../../../src/index.js'
import { createFaultyStore, createTestVault, type TestVault } from '../../../src/testing.js'
import { streamOf, utf8 } from '../../support/bytes.js'
import { itemRef } from '../../support/items/refs.js'
import { invalid, notFound, storageFailed } from '../../support/service/rejections.js'
import {
  type BlobTrackingStore,
  createRecordingStore,
  trackBlobs,
} from '../../support/stores/stores.js'

describe('storeContent', () => {
  it('stores the blob before the record that references it', async () => {
    const vault = await createWatchedVault()
    const store = createRecordingStore(vault.store)
    await attachOn(vault, store, utf8('text'))
    expect(store.calls).toEqual([
      'records.get',
      'records.put',
      'blobs.write',
      'records.get',
      'records.put',
      'records.put',
      'records.delete',
    ])
    expect(await listPendingBlobs(vault)).toEqual([])
  })

  it('rejects with the error of the stream, stores nothing and counts no store error', async () => {
    const vault = await createWatchedVault()
    const error = new Error('the upload was cut off')
    const store = createRecordingStore(vault.store)
    const service = createVaultService({ store })
    const content = streamOf([utf8('half')], error)
    const attached = service.attachFile(vault.caller, { ...itemRef(vault), name: 'a', content })
    await expect(attached).rejects.toBe(error)
    expect(service.stats.storeErrors).toBe(0)
    expect(store.calls).toEqual([
      'records.get',
      'records.put',
      'blobs.write',
      'records.get',
      'blobs.delete',
      'records.delete',
    ])
    await expectUnchanged(vault)
  })

  it('rejects and cancels a stream that contains anything but bytes', async () => {
    const vault = await createWatchedVault()
    const { content, cancelled } = endlessContent([utf8('half'), 'text'])
    await expect(attachOn(vault, vault.store, content)).rejects.toMatchObject(
      invalid('content must be bytes or a stream of bytes'),
    )
    expect(await cancelled).toMatchObject(invalid())
    await expectUnchanged(vault)
  })

  it('does not read the content when the item does not exist', async () => {
    const vault = await createWatchedVault()
    const content = streamOf([utf8('text')])
    await expect(
      attachOn(vault, vault.store, content, { itemId: 'z'.repeat(26) }),
    ).rejects.toMatchObject(notFound('item', 'z'.repeat(26)))
    expect(content.locked).toBe(false)
  })

  it('cancels the content when the store fails before it reads', async () => {
    const vault = await createWatchedVault()
    const store = createFaultyStore(vault.store, ({ method }) =>
      method === 'write' ? 'fail-before' : undefined,
    )
    const { content, cancelled } = endlessContent([utf8('text')])
    await expect(attachOn(vault, store, content)).rejects.toMatchObject(storageFailed)
    expect(await cancelled).toMatchObject(storageFailed)
  })

  it('cancels the content when the store fails midway, and rejects with its error', async () => {
    const vault = await createWatchedVault()
    const store = {
      records: vault.store.records,
      blobs: {
        ...vault.store.blobs,
        write: async (_id: string, content: BlobContent) => {
          for await (const _ of content as AsyncIterable<Uint8Array>)
            throw new Error('no space left')
        },
      },
    }
    const { content, cancelled } = endlessContent([utf8('first')])
    await expect(attachOn(vault, store, content)).rejects.toMatchObject(storageFailed)
    expect(await cancelled).toMatchObject(storageFailed)
    await expectUnchanged(vault)
  })

  it.each<[string, (content: AsyncGenerator) => Promise<unknown>]>([
    ['nothing', async () => {}],
    ['one chunk', (content) => content.next()],
  ])('rejects when the store resolves after reading %s', async (_, read) => {
    const vault = await createWatchedVault()
    const write = async (_id: string, content: BlobContent): Promise<void> => {
      await read(content as AsyncGenerator)
    }
    const store = { ...vault.store, blobs: { ...vault.store.blobs, write } }
    const content = streamOf([utf8('first'), utf8('second')])
    await expect(attachOn(vault, store, content)).rejects.toMatchObject({
      ...storageFailed,
      message: 'the store did not read the content to its end',
    })
    await expectUnchanged(vault)
  })
})

describe('attachFile', () => {
  describe('after the blob is stored', () => {
    it.each<[string, (vault: WatchedVault) => Promise<unknown>, object]>([
      [
        'is deleted meanwhile',
        ({ service, caller, ...vault }) => service.deleteItem(caller, itemRef(vault)),
        { code: 'NOT_FOUND', status: 404 },
      ],
      [
        'loses the section meanwhile',
        ({ service, caller, ...vault }) =>
          service.replaceItem(caller, {
            ...itemRef(vault),
            item: { category: 'LOGIN', vault: { id: vault.vaultId } },
          }),
        invalid('sectionId must be the id of a section of the item'),
      ],
    ])('deletes the blob when the item %s', async (_, meanwhile, error) => {
      const vault = await createWatchedVault()
      const before = new Set(vault.store.blobIds)
      const content = contentAfter(() => meanwhile(vault))
      await expect(
        attachOn(vault, vault.store, content, { sectionId: 'more' }),
      ).rejects.toMatchObject(error)
      expect([...vault.store.blobIds].filter((id) => !before.has(id))).toEqual([])
    })

    it('deletes the blob when every put conflicts', async () => {
      const vault = await createWatchedVault()
      const store = createFaultyStore(vault.store, ({ method }) =>
        method === 'put' ? 'conflict' : undefined,
      )
      await expect(attachOn(vault, store, utf8('text'))).rejects.toMatchObject({
        code: 'CONFLICT',
        status: 409,
      })
      await expectUnchanged(vault)
    })

    it('rejects with the error of the item when the blob cannot be deleted', async () => {
      const vault = await createWatchedVault()
      const { service, caller } = vault
      const store = createFaultyStore(vault.store, ({ store: part, method }) =>
        part === 'blobs' && method === 'delete' ? 'fail-before' : undefined,
      )
      const content = contentAfter(() => service.deleteItem(caller, itemRef(vault)))
      await expect(attachOn(vault, store, content)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(await listPendingBlobs(vault)).toHaveLength(1)
      expect(vault.store.blobIds.size).toBe(1)
    })

    it('keeps the blob when the store writes the item but reports a conflict', async () => {
      const vault = await createWatchedVault()
      const { records } = vault.store
      const put: typeof records.put = async (key, record, expectedVersion) =>
        (await records.put(key, record, expectedVersion)) && !key.collection.startsWith('items/')
      const store = { ...vault.store, records: { ...records, put } }
      await expect(attachOn(vault, store, utf8('text'))).rejects.toMatchObject(invalid())
      const { files } = await vault.service.getItem(vault.caller, itemRef(vault))
      const fileId = files.at(-1)?.id ?? ''
      const ref = { ...itemRef(vault), fileId }
      const { content } = await vault.service.readFileContent(vault.caller, ref)
      expect(await new Response(content).text()).toBe('text')
      expect(await listPendingBlobs(vault)).toHaveLength(1)
    })

    it.each(['fail-before', 'fail-after'] as const)(
      'keeps the blob when the put fails with %s, because the item can reference it',
      async (fault) => {
        const vault = await createWatchedVault()
        let puts = 0
        const store = createFaultyStore(vault.store, ({ method }) =>
          method === 'put' && ++puts === 3 ? fault : undefined,
        )
        await expect(attachOn(vault, store, utf8('text'))).rejects.toMatchObject(storageFailed)
        expect(vault.store.blobIds.size).toBe(3)
        const { files } = await vault.service.getItem(vault.caller, itemRef(vault))
        expect(files).toHaveLength(fault === 'fail-after' ? 3 : 2)
        expect(await listPendingBlobs(vault)).toHaveLength(1)
      },
    )
  })
})

interface WatchedVault extends TestVault {
  readonly store: BlobTrackingStore
}

async function createWatchedVault(): Promise<WatchedVault> {
  const store = trackBlobs()
  return { ...(await createTestVault({ store })), store }
}

function attachOn(
  { caller, ...vault }: TestVault,
  store: VaultStore,
  content: AttachFileInput['content'],
  input: Partial<AttachFileInput> = {},
): Promise<FileDetails> {
  const defaults = { ...itemRef(vault), name: 'file', content }
  return createVaultService({ store }).attachFile(caller, { ...defaults, ...input })
}

/** Asserts that the item and the blobs are the same as before the upload. */
async function expectUnchanged({
  service,
  caller,
  item,
  store,
  ...vault
}: WatchedVault): Promise<void> {
  expect(await service.getItem(caller, itemRef({ ...vault, item }))).toStrictEqual(item)
  expect(store.blobIds.size).toBe(2)
}

function listPendingBlobs({ store, vaultId }: TestVault): Promise<readonly ListedRecord[]> {
  return store.records.list(`pending-blobs/${vaultId}`, { limit: 10 })
}

/** A stream of four bytes that runs `meanwhile` before them. */
function contentAfter(meanwhile: () => Promise<unknown>): ReadableStream<Uint8Array> {
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      await meanwhile()
      controller.enqueue(utf8('late'))
      controller.close()
    },
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}

/** A stream that never ends by itself, and the reason that it is cancelled with. */
function endlessContent(chunks: readonly unknown[]): {
  content: ReadableStream<Uint8Array>
  cancelled: Promise<unknown>
} {
  const left = [...chunks]
  let content = streamOf([])
  const cancelled = new Promise<unknown>((resolve) => {
    content = new ReadableStream({
      pull: (controller) => {
        if (left.length === 0) return new Promise(() => {})
        return controller.enqueue(left.shift() as Uint8Array)
      },
      cancel: resolve,
    })
  })
  return { content, cancelled }
}
