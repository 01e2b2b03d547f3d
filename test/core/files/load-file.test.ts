import { describe, expect, it } from 'vitest'
import { itemKey } from '../../../src/core/records/item-record.js'
import {
  type BlobContent,
  createVaultService,
  type VaultService,
  type VaultStore,
} from '../../../src/index.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { readBytes, streamOf, utf8 } from '../../support/bytes.js'
import { formatRecord, parseRecord } from '../../support/items/item-records.js'
import { fileRef } from '../../support/items/refs.js'
import { notFound, storageFailed } from '../../support/service/rejections.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const mismatch = {
  ...storageFailed,
  message: 'the stored content of a file does not match its item',
}

describe('loadFile', () => {
  it.each<[string, readonly Uint8Array[]]>([
    ['is empty', []],
    ['is one byte short', [utf8('hel'), utf8('l')]],
    ['is one byte long', [utf8('hello'), utf8('!')]],
    ['is far longer', [utf8('hello hello')]],
  ])('rejects a stored content that %s, inline and as a stream', async (_, chunks) => {
    const vault = await createTestVault()
    const service = createVaultService({ store: withContent(vault.store, () => streamOf(chunks)) })
    await expect(getInlined(service, vault)).rejects.toMatchObject(mismatch)
    const { content } = await readContent(service, vault)
    await expect(readBytes(content)).rejects.toMatchObject(mismatch)
  })

  it.each(['', 'hell', 'hello!'])('rejects the stored bytes %j, in both calls', async (text) => {
    const vault = await createTestVault()
    const service = createVaultService({ store: withContent(vault.store, () => utf8(text)) })
    await expect(getInlined(service, vault)).rejects.toMatchObject(mismatch)
    await expect(readContent(service, vault)).rejects.toMatchObject(mismatch)
  })

  it('returns a stream of its own when the store returns bytes', async () => {
    const vault = await createTestVault()
    const bytes = utf8('hello')
    const service = createVaultService({ store: withContent(vault.store, () => bytes) })
    expect((await getInlined(service, vault)).content).toBe(btoa('hello'))
    const { value } = await (await readContent(service, vault)).content.getReader().read()
    expect(value).toEqual(bytes)
    value?.fill(0)
    expect(bytes).toEqual(utf8('hello'))
  })

  it.each<[string, () => BlobContent]>([
    ['bytes', () => utf8('HELLO')],
    ['a stream', () => streamOf([utf8('HELLO')])],
  ])('reads from a store that spreads another one and returns %s', async (_, read) => {
    const vault = await createTestVault()
    const service = createVaultService({ store: withContent(vault.store, read) })
    expect((await getInlined(service, vault)).content).toBe(btoa('HELLO'))
    const { content } = await readContent(service, vault)
    expect(await readBytes(content)).toEqual(utf8('HELLO'))
  })

  it.each([
    [1000, 'yes'],
    [1001, 'no'],
  ])('accepts %d empty chunks in a row: %s', async (count, expected) => {
    const vault = await createTestVault()
    const emptyChunks = Array.from({ length: count }, () => new Uint8Array())
    const chunks = [...emptyChunks, utf8('he'), ...emptyChunks, utf8('llo'), ...emptyChunks]
    const service = createVaultService({ store: withContent(vault.store, () => streamOf(chunks)) })
    const details = getInlined(service, vault)
    const { content } = await readContent(service, vault)
    const streamed = readBytes(content)
    if (expected === 'no') {
      await expect(details).rejects.toMatchObject(mismatch)
      await expect(streamed).rejects.toMatchObject(mismatch)
    } else {
      expect((await details).content).toBe(btoa('hello'))
      expect(await streamed).toEqual(utf8('hello'))
    }
  })

  it('returns no byte beyond the size of the file', async () => {
    const vault = await createTestVault()
    const chunks = [utf8('hello'), utf8('beyond')]
    const service = createVaultService({ store: withContent(vault.store, () => streamOf(chunks)) })
    const reader = (await readContent(service, vault)).content.getReader()
    expect(await reader.read()).toEqual({ done: false, value: utf8('hello') })
    await expect(reader.read()).rejects.toMatchObject(mismatch)
  })

  it('rejects a content that is too long when its stream cannot be cancelled', async () => {
    const vault = await createTestVault()
    const endless = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(utf8('hello')),
        cancel: () => Promise.reject(new Error('SECRET')),
      })
    const service = createVaultService({ store: withContent(vault.store, endless) })
    await expect(getInlined(service, vault)).rejects.toMatchObject(mismatch)
  })

  it('rejects when the blob does not exist', async () => {
    const vault = await createTestVault()
    const service = createVaultService({ store: withContent(vault.store, () => undefined) })
    await expect(getInlined(service, vault)).rejects.toMatchObject(mismatch)
    await expect(readContent(service, vault)).rejects.toMatchObject(mismatch)
  })

  it('rejects without a blob read when the record has no blob id for the file', async () => {
    const vault = await createTestVault()
    await removeBlobIds(vault)
    const store = createRecordingStore(vault.store)
    const service = createVaultService({ store })
    await expect(getInlined(service, vault)).rejects.toMatchObject(mismatch)
    await expect(readContent(service, vault)).rejects.toMatchObject(mismatch)
    expect(store.calls).toEqual(['records.get', 'records.get'])
  })

  it('cancels a content whose store cannot release it, and does not reveal its error', async () => {
    const vault = await createTestVault()
    const uncancellable = (): ReadableStream<Uint8Array> =>
      new ReadableStream({ cancel: () => Promise.reject(new Error('SECRET')) })
    const service = createVaultService({ store: withContent(vault.store, uncancellable) })
    const { content } = await readContent(service, vault)
    expect(await content.cancel()).toBeUndefined()
  })

  it('counts an error of the store in the content, and does not reveal it', async () => {
    const vault = await createTestVault()
    const broken = () => streamOf([utf8('hel')], new Error('SECRET'))
    const service = createVaultService({ store: withContent(vault.store, broken) })
    const failure = { ...storageFailed, message: 'the store failed', cause: { message: 'Error' } }
    await expect(getInlined(service, vault)).rejects.toMatchObject(failure)
    await expect(readBytes((await readContent(service, vault)).content)).rejects.toMatchObject(
      failure,
    )
    expect(service.stats.storeErrors).toBe(2)
  })

  it('cancels the stream of the store when the content is cancelled', async () => {
    const vault = await createTestVault()
    const cancelled = new Promise((resolve) => {
      const endless = new ReadableStream<Uint8Array>({ cancel: resolve })
      const service = createVaultService({ store: withContent(vault.store, () => endless) })
      readContent(service, vault).then(({ content }) => content.cancel('enough'))
    })
    expect(await cancelled).toBe('enough')
  })
})

describe('readFileContent', () => {
  it('returns name, size and bytes, also when the file is too large to inline', async () => {
    const vault = await createTestVault()
    const ref = fileRef(vault, vault.largeFile)
    const { content, ...rest } = await vault.service.readFileContent(vault.caller, ref)
    expect(rest).toStrictEqual({ name: 'large.bin', size: 1025 })
    expect(await readBytes(content)).toEqual(new Uint8Array(1025).fill(7))
  })

  it.each(['c'.repeat(26), 'malformed'])(
    'rejects the file id %s as not found without a blob read',
    async (id) => {
      const vault = await createTestVault()
      const store = createRecordingStore(vault.store)
      const { readFileContent } = createVaultService({ store })
      await expect(readFileContent(vault.caller, fileRef(vault, { id }))).rejects.toMatchObject(
        notFound('file', id),
      )
      expect(store.calls).toEqual(['records.get'])
    },
  )
})

function withContent(
  { records, blobs }: VaultStore,
  read: () => BlobContent | undefined,
): VaultStore {
  return { records, blobs: { ...blobs, read: async () => read() } }
}

function getInlined(
  service: VaultService,
  vault: TestVault,
): ReturnType<VaultService['getFileDetails']> {
  return service.getFileDetails(vault.caller, { ...fileRef(vault), inlineFiles: true })
}

function readContent(
  service: VaultService,
  vault: TestVault,
): ReturnType<VaultService['readFileContent']> {
  return service.readFileContent(vault.caller, fileRef(vault))
}

/** Writes the item again as a record without blob ids. */
async function removeBlobIds(vault: TestVault): Promise<void> {
  const { records } = vault.store
  const key = itemKey(fileRef(vault))
  const stored = await records.get(key)
  if (stored === undefined) throw new Error('the test vault has no item')
  const { item } = parseRecord(stored.body)
  const body = formatRecord({ item: { ...item, version: item.version + 1 }, blobs: {} })
  await records.put(key, { body }, stored.version)
}
