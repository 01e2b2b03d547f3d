import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../src/storage/memory.js'
import { blobStoreContract, recordStoreContract } from '../../src/testing.js'
import { readBytes, streamOf, utf8 } from '../support/bytes.js'
import { expectContentForm } from '../support/stores/content-form.js'

describe('createMemoryStore', () => {
  it.each(recordStoreContract)('records: $name', ({ run }) => run(createMemoryStore().records))

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
    [65_537, 'chunks'],
  ] as const)('returns a content of %i bytes as %s', async (length, form) => {
    const { blobs } = createMemoryStore()
    await expectContentForm(blobs, length, form)
  })
})
