import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../src/storage/memory.js'
import { blobStoreContract, recordStoreContract } from '../../src/testing.js'
import { readBytes, streamOf, utf8 } from '../support/bytes.js'
import { expectContentForm } from '../support/stores/content-form.js'

describe('createMemoryStore', () => {
  it.each(recordStoreContract)('records: $name', ({ run }) => run(createMemoryStore().records))

  it.each(blobStoreContract)('blobs: $name', ({ run }) => run(createMemoryStore().blobs))

  it('lists what is stored in ascending order after any writes and deletions', async () => {
    const step = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      indexKey: fc.constantFrom(undefined, 'x', 'y'),
      isDeletion: fc.boolean(),
    })
    const body = new Uint8Array()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { records } = createMemoryStore()
        const stored = new Map<string, { version: number; indexKey: string | undefined }>()
        for (const { id, indexKey, isDeletion } of steps) {
          const key = { collection: 'c', id }
          const version = stored.get(id)?.version ?? 0
          if (isDeletion) await records.delete(key, version)
          else await records.put(key, { body, ...(indexKey && { indexKey }) }, version)
          if (isDeletion) stored.delete(id)
          else stored.set(id, { version: version + 1, indexKey })
          for (const sought of [undefined, 'x', 'y']) {
            const listed = await records.list('c', {
              ...(sought && { indexKey: sought }),
              after: 'a',
              limit: 3,
            })
            const expected = [...stored]
              .filter(
                ([other, entry]) => other > 'a' && (sought ?? entry.indexKey) === entry.indexKey,
              )
              .map(([other]) => other)
              .sort()
            expect(listed.map((record) => record.id)).toEqual(expected.slice(0, 3))
          }
        }
      }),
    )
  })

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
