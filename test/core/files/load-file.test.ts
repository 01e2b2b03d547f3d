import { describe, expect, it } from 'vitest'
import { itemKey } from '../../../src/core/records/item-record.js'
import { createVaultService, type VaultService, type VaultStore } from '../../../src/index.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { bytesOf, streamOf, utf8 } from '../../support/bytes.js'
import { recordIn, recordOf } from '../../support/items/item-records.js'
import { filePlace } from '../../support/items/refs.js'
import { storageFailed } from '../../support/service/rejections.js'
import { recordingStore } from '../../support/stores/stores.js'

const mismatch = {
  ...storageFailed,
  message: 'the stored content of a file is not what its item says',
}

describe('the content of a file, when the store does not hold what the item says', () => {
  it.each<[string, readonly Uint8Array[]]>([
    ['is empty', []],
    ['is one byte short', [utf8('hel'), utf8('l')]],
    ['is one byte long', [utf8('hello'), utf8('!')]],
    ['is far longer', [utf8('hello hello')]],
  ])('fails where it %s, in the details and in the stream', async (_, chunks) => {
    const vault = await createTestVault()
    const service = createVaultService({ store: withContent(vault.store, () => streamOf(chunks)) })
    await expect(inlined(service, vault)).rejects.toMatchObject(mismatch)
    const { content } = await read(service, vault)
    await expect(bytesOf(content)).rejects.toMatchObject(mismatch)
  })

  it.each([
    [1000, 'ok'],
    [1001, 'fails'],
  ])('is read across empty chunks, of which %d in a row: %s', async (count, outcome) => {
    const vault = await createTestVault()
    const empty = Array.from({ length: count }, () => new Uint8Array())
    const chunks = [...empty, utf8('he'), ...empty, utf8('llo'), ...empty]
    const service = createVaultService({ store: withContent(vault.store, () => streamOf(chunks)) })
    const details = inlined(service, vault)
    const { content } = await read(service, vault)
    const streamed = bytesOf(content)
    if (outcome === 'fails') {
      await expect(details).rejects.toMatchObject(mismatch)
      await expect(streamed).rejects.toMatchObject(mismatch)
    } else {
      expect((await details).content).toBe(btoa('hello'))
      expect(await streamed).toEqual(utf8('hello'))
    }
  })

  it('is counted as a failure of the store where it cannot be read to its end', async () => {
    const vault = await createTestVault()
    const broken = () => streamOf([utf8('hel')], new Error('SECRET'))
    const service = createVaultService({ store: withContent(vault.store, broken) })
    await expect(inlined(service, vault)).rejects.toMatchObject(storageFailed)
    const { content } = await read(service, vault)
    await expect(bytesOf(content)).rejects.toMatchObject(storageFailed)
    expect(service.stats.storeErrors).toBe(2)
  })

  it('hands out no byte beyond the size that it has announced', async () => {
    const vault = await createTestVault()
    const chunks = [utf8('hello'), utf8('beyond')]
    const service = createVaultService({ store: withContent(vault.store, () => streamOf(chunks)) })
    const reader = (await read(service, vault)).content.getReader()
    expect(await reader.read()).toEqual({ done: false, value: utf8('hello') })
    await expect(reader.read()).rejects.toMatchObject(mismatch)
  })

  it('fails for its length, though the store cannot even be told to stop', async () => {
    const vault = await createTestVault()
    const endless = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(utf8('hello')),
        cancel: () => Promise.reject(new Error('SECRET')),
      })
    const service = createVaultService({ store: withContent(vault.store, endless) })
    await expect(inlined(service, vault)).rejects.toMatchObject(mismatch)
  })

  it('fails where there is none', async () => {
    const vault = await createTestVault()
    const service = createVaultService({ store: withContent(vault.store, () => undefined) })
    await expect(inlined(service, vault)).rejects.toMatchObject(mismatch)
    await expect(read(service, vault)).rejects.toMatchObject(mismatch)
  })

  it('fails where the record names no content for the file, without looking for any', async () => {
    const vault = await createTestVault()
    await forgetBlobs(vault)
    const store = recordingStore(vault.store)
    const service = createVaultService({ store })
    await expect(inlined(service, vault)).rejects.toMatchObject(mismatch)
    await expect(read(service, vault)).rejects.toMatchObject(mismatch)
    expect(store.calls).toEqual(['records.get', 'records.get'])
  })

  it('fails without the words of the store when its content cannot be cancelled', async () => {
    const vault = await createTestVault()
    const stuck = (): ReadableStream<Uint8Array> =>
      new ReadableStream({ cancel: () => Promise.reject(new Error('SECRET')) })
    const service = createVaultService({ store: withContent(vault.store, stuck) })
    const { content } = await read(service, vault)
    await expect(content.cancel()).rejects.toMatchObject({
      ...storageFailed,
      message: 'the store failed',
      cause: { message: 'Error' },
    })
  })

  it('fails without the words of the store when its content breaks off', async () => {
    const vault = await createTestVault()
    const broken = () => streamOf([utf8('hel')], new Error('SECRET'))
    const service = createVaultService({ store: withContent(vault.store, broken) })
    const failure = { ...storageFailed, message: 'the store failed', cause: { message: 'Error' } }
    await expect(inlined(service, vault)).rejects.toMatchObject(failure)
    await expect(bytesOf((await read(service, vault)).content)).rejects.toMatchObject(failure)
  })

  it('takes the content however it is cut', async () => {
    const vault = await createTestVault()
    const chunks = [utf8(''), utf8('hel'), utf8(''), utf8('lo'), utf8('')]
    const service = createVaultService({ store: withContent(vault.store, () => streamOf(chunks)) })
    expect(await inlined(service, vault)).toMatchObject({ content: 'aGVsbG8=' })
  })

  it('tells the store when its content is no longer wanted', async () => {
    const vault = await createTestVault()
    const cancelled = new Promise((resolve) => {
      const endless = new ReadableStream<Uint8Array>({ cancel: resolve })
      const service = createVaultService({ store: withContent(vault.store, () => endless) })
      read(service, vault).then(({ content }) => content.cancel('enough'))
    })
    expect(await cancelled).toBe('enough')
  })
})

function withContent(
  { records, blobs }: VaultStore,
  read: () => ReadableStream<Uint8Array> | undefined,
): VaultStore {
  return { records, blobs: { ...blobs, read: async () => read() } }
}

function inlined(
  service: VaultService,
  vault: TestVault,
): ReturnType<VaultService['getFileDetails']> {
  return service.getFileDetails(vault.caller, { ...filePlace(vault), inlineFiles: true })
}

function read(
  service: VaultService,
  vault: TestVault,
): ReturnType<VaultService['readFileContent']> {
  return service.readFileContent(vault.caller, filePlace(vault))
}

/** Writes the item again as a record that names no contents. */
async function forgetBlobs(vault: TestVault): Promise<void> {
  const { records } = vault.store
  const key = itemKey(filePlace(vault))
  const stored = await records.get(key)
  if (stored === undefined) throw new Error('the test vault has no item')
  const { item } = recordIn(stored.body)
  const body = recordOf({ item: { ...item, version: item.version + 1 }, blobs: {} })
  await records.put(key, { body }, stored.version)
}
