import { describe, expect, it } from 'vitest'
import { StorageError } from '../../src/errors.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { blobStoreContract, recordStoreContract } from '../../src/testing.js'
import { readBytes, streamOf, utf8 } from '../support/bytes.js'
import { expectContentForm } from '../support/stores/content-form.js'

describe('createMemoryStore', () => {
  it.each(recordStoreContract)('records: $name', ({ run }) => run(createMemoryStore().records))

  it('returns every byte as it was put', async () => {
    const { records } = createMemoryStore()
    const body = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    await records.put({ collection: 'c', id: 'a' }, { body: body.subarray(1) }, 0)
    expect(await records.get({ collection: 'c', id: 'a' })).toEqual({
      version: 1,
      body: body.slice(1),
    })
  })

  it('shares nothing with another store', async () => {
    const key = { collection: 'c', id: 'a' }
    await createMemoryStore().records.put(key, { body: new Uint8Array(1) }, 0)
    expect(await createMemoryStore().records.get(key)).toBeUndefined()
  })

  it.each(blobStoreContract)('blobs: $name', ({ run }) => run(createMemoryStore().blobs))

  it('copies the content when the writer reuses a Buffer', async () => {
    const { blobs } = createMemoryStore()
    const buffer = Buffer.from('abc')
    await blobs.write('v/a', streamOf([buffer]))
    buffer.fill(0)
    expect(await readBytes((await blobs.read('v/a')) ?? streamOf([]))).toEqual(utf8('abc'))
  })

  it.each([
    [0, 'bytes'],
    [65_536, 'bytes'],
    [65_537, 'a stream'],
  ] as const)('returns a content of %i bytes as %s', async (length, form) => {
    const { blobs } = createMemoryStore()
    await expectContentForm(blobs, length, form)
  })

  it('rejects a second write of an id with a StorageError', async () => {
    const { blobs } = createMemoryStore()
    await blobs.write('v/a', streamOf([]))
    await expect(blobs.write('v/a', streamOf([]))).rejects.toThrow(StorageError)
  })
})
