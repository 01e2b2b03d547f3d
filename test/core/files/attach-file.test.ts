import { createReadStream } from 'node:fs'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readContent } from '../../../src/base/blob-content.js'
import {
  type AttachFileInput,
  type BlobContent,
  createCaller,
  createVaultService,
} from '../../../src/index.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { readBytes, streamOf, utf8 } from '../../support/bytes.js'
import { getCurrentItem, itemRef } from '../../support/items/refs.js'
import { invalid, versionMismatch } from '../../support/service/rejections.js'
import { createInterruptedStore } from '../../support/stores/interrupted-store.js'
import { createRecordingStore, trackBlobs } from '../../support/stores/stores.js'

const uuid = '123e4567-e89b-12d3-a456-426614174abc'
const spellings = [uuid, uuid.toUpperCase(), '123E4567-e89b-12d3-A456-426614174aBC']

describe('attachFile', () => {
  it('returns the file and adds it to the next version of the item', async () => {
    const vault = await createTestVault()
    vault.clock.advance(1)
    const file = await attach(vault, {}, createCaller({ id: 'wendy', vaults: '*' }))
    expect(file).toStrictEqual({
      id: expect.stringMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/),
      name: 'file.txt',
      size: 4,
      content_path: `/v1/vaults/${vault.vaultId}/items/${vault.item.id}/files/${file.id}/content`,
    })
    expect(await getCurrentItem(vault)).toStrictEqual({
      ...vault.item,
      files: [vault.smallFile, vault.largeFile, file],
      version: vault.item.version + 1,
      updatedAt: '2026-01-01T00:00:00.001Z',
      lastEditedBy: 'wendy',
    })
  })

  it('rejects another `ifVersion` before the content is read', async () => {
    const vault = await createTestVault()
    const { version } = vault.item
    for (const ifVersion of [0, version - 1, version + 1]) {
      const content = streamOf([], new Error('was read'))
      await expect(attach(vault, { content, ifVersion })).rejects.toMatchObject(
        versionMismatch(vault.item.id),
      )
    }
    expect(await getCurrentItem(vault)).toStrictEqual(vault.item)
    expect(await attach(vault, { ifVersion: version })).toMatchObject({ size: 4 })
  })

  it('rejects when the item changes while the content is read', async () => {
    const store = trackBlobs()
    const vault = await createTestVault({ store })
    const { service, caller, item } = vault
    const blobIds = [...store.blobIds]
    const content = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const patch = [{ op: 'replace', path: '/title', value: 'Changed' }] as const
        await service.patchItem(caller, { ...itemRef(vault), patch })
        controller.enqueue(utf8('text'))
        controller.close()
      },
    })
    await expect(attach(vault, { content, ifVersion: item.version })).rejects.toMatchObject(
      versionMismatch(item.id),
    )
    expect((await getCurrentItem(vault)).files).toStrictEqual(item.files)
    expect([...store.blobIds]).toEqual(blobIds)
  })

  it.each<[string, () => AttachFileInput['content'], string]>([
    ['bytes', () => utf8('text'), 'text'],
    ['a Buffer', () => Buffer.from('text'), 'text'],
    ['a view of a larger buffer', () => utf8('a text.').subarray(2, 6), 'text'],
    ['no bytes', () => new Uint8Array(0), ''],
    ['a stream', () => streamOf([utf8('te'), utf8(''), utf8('xt')]), 'text'],
    ['an empty stream', () => streamOf([]), ''],
    ['a byte stream', () => new Blob(['text']).stream(), 'text'],
    ['a generator', () => generate(utf8('te'), utf8(''), utf8('xt')), 'text'],
    ['an empty generator', () => generate(), ''],
    ['a stream of Node', () => new PassThrough().end('text'), 'text'],
    ['many bytes', () => new Uint8Array(300_000).fill(65), 'A'.repeat(300_000)],
  ])('stores %s completely and returns the size', async (_, content, text) => {
    const vault = await createTestVault()
    const file = await attach(vault, { content: content() })
    expect(file.size).toBe(text.length)
    const read = await vault.service.readFileContent(vault.caller, {
      ...itemRef(vault),
      fileId: file.id,
    })
    expect(Buffer.from(await readBytes(read.content)).toString()).toBe(text)
  })

  it.each(['0'.repeat(26), ...spellings])(
    'accepts the file id %s and returns it in lower case',
    async (fileId) => {
      const vault = await createTestVault()
      const file = await attach(vault, { fileId })
      expect(file.id).toBe(fileId.toLowerCase())
      const ref = { ...itemRef(vault), fileId }
      expect(await vault.service.getFileDetails(vault.caller, ref)).toStrictEqual(file)
    },
  )

  it.each([
    '"quoted"\r\nSet-Cookie: a=b',
    '../../etc/passwd',
    '\u202egnp.exe',
    'Übermaß 😀.txt',
    ' ',
    '__proto__',
    'n'.repeat(255),
    '\u{1f600}'.repeat(255),
  ])('keeps the name %j', async (name) => {
    const vault = await createTestVault()
    expect(await attach(vault, { name })).toMatchObject({ name })
    expect((await getCurrentItem(vault)).files.at(-1)).toMatchObject({ name })
  })

  it('accepts files with the same name and different contents', async () => {
    const vault = await createTestVault()
    const read = async (fileId: string) => {
      const ref = { ...itemRef(vault), fileId, inlineFiles: true }
      return (await vault.service.getFileDetails(vault.caller, ref)).content
    }
    const [one, two] = [
      await attach(vault, { content: utf8('one') }),
      await attach(vault, { content: utf8('two') }),
    ]
    expect([await read(one.id), await read(two.id)]).toEqual([btoa('one'), btoa('two')])
  })

  it('keeps files with the same id in two items apart', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId } = vault
    const other = await service.createItem(caller, { vaultId, item: vault.item })
    const read = async (itemId: string) =>
      (await service.getFileDetails(caller, { vaultId, itemId, fileId: uuid, inlineFiles: true }))
        .content
    await attach(vault, { fileId: uuid, content: utf8('one') })
    await attach(vault, { fileId: uuid, content: utf8('two'), itemId: other.id })
    expect([await read(vault.item.id), await read(other.id)]).toEqual([btoa('one'), btoa('two')])
  })

  it.each<[string, object, string]>([
    ['no name', { name: undefined }, 'name must be a string'],
    ['an empty name', { name: '' }, 'name must be at least 1 characters long'],
    ['a name with U+0000', { name: 'a\0b' }, 'name must not contain U+0000'],
    ['a name with half a character', { name: '\udc00' }, 'name must not contain a lone surrogate'],
    ['a long name', { name: 'n'.repeat(256) }, 'name must be at most 255 characters long'],
    [
      'a long name of emoji',
      { name: '\u{1f600}'.repeat(256) },
      'name must be at most 255 characters long',
    ],
    ['a section id that is not a string', { sectionId: 7 }, 'sectionId must be a string'],
    ['an invalid section id', { sectionId: '\0' }, 'sectionId must not contain U+0000'],
    ['an unknown section', { sectionId: 'x' }, 'sectionId must be the id of a section of the item'],
    ['a malformed file id', { fileId: 'x' }, 'fileId has an invalid format'],
    ...spellings.map((fileId): [string, object, string] => [
      `the id of another file as ${fileId}`,
      { fileId },
      'fileId must not be the id of another file of the item',
    ]),
    ['a string as content', { content: 'text' }, 'content must be bytes or a stream of bytes'],
    ['no content', { content: undefined }, 'content must be bytes or a stream of bytes'],
  ])('rejects %s and stores nothing', async (_, changes, message) => {
    const vault = await createTestVault()
    await attach(vault, { fileId: uuid })
    const store = createRecordingStore(vault.store)
    const service = createVaultService({ store })
    await expect(attach({ ...vault, service }, changes)).rejects.toMatchObject(invalid(message))
    expect(store.calls.filter((call) => !call.endsWith('.get'))).toEqual([])
  })

  it('rejects a file beyond the limit before its content is read', async () => {
    const vault = await createTestVault()
    const service = createVaultService({ store: vault.store, limits: { files: 3 } })
    await attach({ ...vault, service }, {})
    const content = streamOf([], new Error('was read'))
    await expect(attach({ ...vault, service }, { content })).rejects.toMatchObject(
      invalid('files must be at most 3 elements long'),
    )
  })

  it('allows reads, patches and removals on an item with more files than the limit', async () => {
    const vault = await createTestVault()
    const { caller, smallFile, largeFile } = vault
    const service = createVaultService({ store: vault.store, limits: { files: 1 } })
    const ref = itemRef(vault)
    expect(await service.getItem(caller, ref)).toStrictEqual(vault.item)
    expect(await service.listFiles(caller, ref)).toStrictEqual([smallFile, largeFile])
    const patch = [{ op: 'replace', path: '/title', value: 'New' }] as const
    expect((await service.patchItem(caller, { ...ref, patch })).files).toHaveLength(2)
    await service.removeFile(caller, { ...ref, fileId: smallFile.id })
    expect(await service.listFiles(caller, ref)).toStrictEqual([largeFile])
  })

  it('rejects a file that would make the item too large', async () => {
    const vault = await createTestVault()
    const itemBytes = Buffer.byteLength(JSON.stringify(vault.item)) + 100
    const service = createVaultService({ store: vault.store, limits: { itemBytes } })
    await expect(attach({ ...vault, service }, {})).rejects.toMatchObject(
      invalid(`the item must be at most ${itemBytes} bytes long`),
    )
  })

  it.each<[string, () => AttachFileInput['content'] | Promise<AttachFileInput['content']>]>([
    ['that is locked', () => createLockedStream()],
    ['that was read completely', () => createPartlyReadStream(3)],
    ['that was read partly', () => createPartlyReadStream(1)],
    ['that was cancelled', () => createCancelledStream()],
    ['of Node that was read partly', () => createPartlyReadFile()],
  ])('rejects a stream %s and stores nothing', async (_, content) => {
    const vault = await createTestVault()
    const store = createRecordingStore(vault.store)
    const service = createVaultService({ store })
    await expect(attach({ ...vault, service }, { content: await content() })).rejects.toMatchObject(
      invalid('content must not be locked or already read from'),
    )
    expect(store.calls).toEqual([])
  })

  it('rejects with the error of a failed stream and stores nothing', async () => {
    const vault = await createTestVault()
    const store = createRecordingStore(vault.store)
    const service = createVaultService({ store })
    const error = new Error('the upload was cut off')
    const content = new ReadableStream<Uint8Array>({
      start: (controller) => controller.error(error),
    })
    await expect(attach({ ...vault, service }, { content })).rejects.toBe(error)
    expect(store.calls).toEqual(['records.get'])
    expect(content.locked).toBe(false)
  })

  it.each<[string, () => Partial<AttachFileInput>]>([
    ['when only one is below the limit', () => ({})],
    ['with the same id', () => ({ fileId: uuid })],
    ['with the same stream', () => ({ content: streamOf([utf8('te'), utf8('xt')]) })],
  ])('accepts one of two concurrent files %s', async (title, input) => {
    const store = trackBlobs()
    const vault = await createTestVault({ store })
    const limits = { files: title.includes('limit') ? 3 : 4 }
    const service = createVaultService({ store, limits })
    const file = input()
    const outcomes = await Promise.allSettled([1, 2].map(() => attach({ ...vault, service }, file)))
    outcomes.sort((a, b) => (a.status < b.status ? -1 : 1))
    expect(outcomes).toMatchObject([
      { status: 'fulfilled', value: { size: 4 } },
      { status: 'rejected', reason: invalid() },
    ])
    expect(store.blobIds.size).toBe(3)
  })

  it('rejects a stream that is locked while the upload begins', async () => {
    const store = trackBlobs()
    const vault = await createTestVault({ store })
    const content = streamOf([utf8('text')])
    const lockingStore = createInterruptedStore(
      store,
      'pending-blobs',
      'after',
      async () => void content.getReader(),
    )
    const service = createVaultService({ store: lockingStore })
    await expect(attach({ ...vault, service }, { content })).rejects.toMatchObject(invalid())
    expect(store.blobIds.size).toBe(2)
    expect(await store.records.list(`pending-blobs/${vault.vaultId}`, { limit: 9 })).toEqual([])
  })

  it('accepts a stream whose reader was released before it read anything', async () => {
    const vault = await createTestVault()
    const content = streamOf([utf8('text')])
    content.getReader().releaseLock()
    expect(await attach(vault, { content })).toMatchObject({ size: 4 })
  })

  it('copies the bytes: a store that overwrites them does not change the input', async () => {
    const vault = await createTestVault()
    const { records, blobs } = vault.store
    const overwritingStore = {
      records,
      blobs: {
        ...blobs,
        write: async (id: string, content: BlobContent) => {
          const bytes = await readContent(content)
          await blobs.write(id, bytes.fill(0))
        },
      },
    }
    const service = createVaultService({ store: overwritingStore })
    for (const content of [utf8('mine'), Buffer.from('mine')]) {
      await attach({ ...vault, service }, { content })
      expect(content).toEqual(content instanceof Buffer ? Buffer.from('mine') : utf8('mine'))
    }
  })
})

function createLockedStream(): ReadableStream<Uint8Array> {
  const content = streamOf([utf8('text')])
  content.getReader()
  return content
}

/** A stream of two chunks on which `reads` reads were made. */
async function createPartlyReadStream(reads: number): Promise<ReadableStream<Uint8Array>> {
  const content = streamOf([utf8('te'), utf8('xt')])
  const reader = content.getReader()
  for (let read = 0; read < reads; read++) await reader.read()
  reader.releaseLock()
  return content
}

async function createPartlyReadFile(): Promise<AsyncIterable<Uint8Array>> {
  const file = createReadStream(import.meta.filename, { highWaterMark: 10 })
  for await (const _ of file.iterator({ destroyOnReturn: false })) break
  return file
}

async function* generate(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

async function createCancelledStream(): Promise<ReadableStream<Uint8Array>> {
  const content = streamOf([utf8('text')])
  await content.cancel()
  return content
}

function attach(
  { service, caller, vaultId, item }: TestVault,
  input: Partial<AttachFileInput>,
  uploader = caller,
): ReturnType<TestVault['service']['attachFile']> {
  const defaults = { vaultId, itemId: item.id, name: 'file.txt', content: utf8('text') }
  return service.attachFile(uploader, { ...defaults, ...input })
}
