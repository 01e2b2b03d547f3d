import { describe, expect, it } from 'vitest'
import {
  type AttachFileInput,
  createVaultService,
  type FileDetails,
  type ListedRecord,
  type VaultStore,
} from '../../../src/index.js'
import { createFaultyStore, createTestVault, type TestVault } from '../../../src/testing.js'
import { streamOf, utf8 } from '../../support/bytes.js'
import { itemPlace } from '../../support/items/refs.js'
import { invalid, notFound, storageFailed } from '../../support/service/rejections.js'
import { type BlobWatch, recordingStore, watchBlobs } from '../../support/stores/stores.js'

describe('the content of a new file', () => {
  it('is stored before the record that names it', async () => {
    const vault = await watchedVault()
    const store = recordingStore(vault.store)
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
    expect(await marksIn(vault)).toEqual([])
  })

  it('rejects with its own error when its stream fails, stores nothing, and is no failure of the store', async () => {
    const vault = await watchedVault()
    const error = new Error('the upload was cut off')
    const store = recordingStore(vault.store)
    const service = createVaultService({ store })
    const content = streamOf([utf8('half')], error)
    const attached = service.attachFile(vault.caller, { ...itemPlace(vault), name: 'a', content })
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
    await expectUntouched(vault)
  })

  it('is refused when its stream holds anything but bytes, and the stream is cancelled', async () => {
    const vault = await watchedVault()
    const { content, cancelled } = cancellable([utf8('half'), 'text'])
    await expect(attachOn(vault, vault.store, content)).rejects.toMatchObject(
      invalid('content must be bytes or a stream of bytes'),
    )
    expect(await cancelled).toMatchObject(invalid())
    await expectUntouched(vault)
  })

  it('is not read when the item refuses it beforehand', async () => {
    const vault = await watchedVault()
    const content = streamOf([utf8('text')])
    await expect(
      attachOn(vault, vault.store, content, { itemId: 'z'.repeat(26) }),
    ).rejects.toMatchObject(notFound('item', 'z'.repeat(26)))
    expect(content.locked).toBe(false)
  })

  it('is cancelled when the store fails before it has read it', async () => {
    const vault = await watchedVault()
    const store = createFaultyStore(vault.store, ({ method }) =>
      method === 'write' ? 'fail-before' : undefined,
    )
    const { content, cancelled } = cancellable([utf8('text')])
    await expect(attachOn(vault, store, content)).rejects.toMatchObject(storageFailed)
    expect(await cancelled).toMatchObject(storageFailed)
  })

  it('is cancelled when the store gives up in the middle, whose error is the answer', async () => {
    const vault = await watchedVault()
    const store = {
      records: vault.store.records,
      blobs: {
        ...vault.store.blobs,
        write: async (_id: string, stream: ReadableStream<Uint8Array>) => {
          const reader = stream.getReader()
          await reader.read()
          await reader.cancel('full')
          throw new Error('no space left')
        },
      },
    }
    const { content, cancelled } = cancellable([utf8('first')])
    await expect(attachOn(vault, store, content)).rejects.toMatchObject(storageFailed)
    expect(await cancelled).toBe('full')
    await expectUntouched(vault)
  })
})

describe('content that the store says it has written', () => {
  it.each<[string, (content: ReadableStream<Uint8Array>) => Promise<unknown>]>([
    ['without reading it', async () => {}],
    ['after its first chunk', (content) => content.getReader().read()],
  ])('is not named by an item, if it did so %s', async (_, read) => {
    const vault = await watchedVault()
    const write = async (_id: string, content: ReadableStream<Uint8Array>): Promise<void> => {
      await read(content)
    }
    const store = { ...vault.store, blobs: { ...vault.store.blobs, write } }
    const content = streamOf([utf8('first'), utf8('second')])
    await expect(attachOn(vault, store, content)).rejects.toMatchObject({
      ...storageFailed,
      message: 'the store did not read a content to its end',
    })
    await expectUntouched(vault)
  })
})

describe('content that is stored, when the item then does not take it', () => {
  it.each<[string, (vault: WatchedVault) => Promise<unknown>, object]>([
    [
      'is gone by then',
      ({ service, caller, ...vault }) => service.deleteItem(caller, itemPlace(vault)),
      { code: 'NOT_FOUND', status: 404 },
    ],
    [
      'has lost the section by then',
      ({ service, caller, ...vault }) =>
        service.replaceItem(caller, {
          ...itemPlace(vault),
          item: { category: 'LOGIN', vault: { id: vault.vaultId } },
        }),
      invalid('sectionId must be the id of a section of the item'),
    ],
  ])('is removed when the item %s', async (_, meanwhile, refusal) => {
    const vault = await watchedVault()
    const before = new Set(vault.store.blobIds)
    const content = comingAfter(() => meanwhile(vault))
    await expect(
      attachOn(vault, vault.store, content, { sectionId: 'more' }),
    ).rejects.toMatchObject(refusal)
    expect([...vault.store.blobIds].filter((id) => !before.has(id))).toEqual([])
  })

  it('is removed when the put is refused every time', async () => {
    const vault = await watchedVault()
    const store = createFaultyStore(vault.store, ({ method }) =>
      method === 'put' ? 'conflict' : undefined,
    )
    await expect(attachOn(vault, store, utf8('text'))).rejects.toMatchObject({
      code: 'CONFLICT',
      status: 409,
    })
    await expectUntouched(vault)
  })

  it('says why the item refused it, even if it cannot be removed', async () => {
    const vault = await watchedVault()
    const { service, caller } = vault
    const store = createFaultyStore(vault.store, ({ store: half, method }) =>
      half === 'blobs' && method === 'delete' ? 'fail-before' : undefined,
    )
    const content = comingAfter(() => service.deleteItem(caller, itemPlace(vault)))
    await expect(attachOn(vault, store, content)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await marksIn(vault)).toHaveLength(1)
    expect(vault.store.blobIds.size).toBe(1)
  })

  it('is left when the store does the put and says that it did not', async () => {
    const vault = await watchedVault()
    const { records } = vault.store
    const put: typeof records.put = async (key, record, seen) =>
      (await records.put(key, record, seen)) && !key.collection.startsWith('items/')
    const store = { ...vault.store, records: { ...records, put } }
    await expect(attachOn(vault, store, utf8('text'))).rejects.toMatchObject(invalid())
    const { files } = await vault.service.getItem(vault.caller, itemPlace(vault))
    const fileId = files.at(-1)?.id ?? ''
    const ref = { ...itemPlace(vault), fileId }
    const { content } = await vault.service.readFileContent(vault.caller, ref)
    expect(await new Response(content).text()).toBe('text')
    expect(await marksIn(vault)).toHaveLength(1)
  })

  it.each(['fail-before', 'fail-after'] as const)(
    'is left when the put fails %s it is done, because the item may name it',
    async (fault) => {
      const vault = await watchedVault()
      let puts = 0
      const store = createFaultyStore(vault.store, ({ method }) =>
        method === 'put' && ++puts === 3 ? fault : undefined,
      )
      await expect(attachOn(vault, store, utf8('text'))).rejects.toMatchObject(storageFailed)
      expect(vault.store.blobIds.size).toBe(3)
      const { files } = await vault.service.getItem(vault.caller, itemPlace(vault))
      expect(files).toHaveLength(fault === 'fail-after' ? 3 : 2)
      expect(await marksIn(vault)).toHaveLength(1)
    },
  )
})

interface WatchedVault extends TestVault {
  readonly store: BlobWatch
}

async function watchedVault(): Promise<WatchedVault> {
  const store = watchBlobs()
  return { ...(await createTestVault({ store })), store }
}

function attachOn(
  { caller, ...vault }: TestVault,
  store: VaultStore,
  content: AttachFileInput['content'],
  input: Partial<AttachFileInput> = {},
): Promise<FileDetails> {
  const whole = { ...itemPlace(vault), name: 'file', content }
  return createVaultService({ store }).attachFile(caller, { ...whole, ...input })
}

/** The item and the blobs are what they were before anything was attached. */
async function expectUntouched({
  service,
  caller,
  item,
  store,
  ...vault
}: WatchedVault): Promise<void> {
  expect(await service.getItem(caller, itemPlace({ ...vault, item }))).toStrictEqual(item)
  expect(store.blobIds.size).toBe(2)
}

function marksIn({ store, vaultId }: TestVault): Promise<readonly ListedRecord[]> {
  return store.records.list(`marks/${vaultId}`, { limit: 10 })
}

/** Four bytes, before which something else happens. */
function comingAfter(meanwhile: () => Promise<unknown>): ReadableStream<Uint8Array> {
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      await meanwhile()
      controller.enqueue(utf8('late'))
      controller.close()
    },
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}

/** A stream that never ends by itself, and what it is cancelled for. */
function cancellable(chunks: readonly unknown[]): {
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
