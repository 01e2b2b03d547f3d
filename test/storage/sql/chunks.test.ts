import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { forEachChunk } from '../../../src/storage/sql/chunks.js'
import { streamOf } from '../../support/bytes.js'

async function cut(content: ReadableStream<Uint8Array>, size: number): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  const rest = await forEachChunk(content, size, async (chunk) => {
    chunks.push(chunk.slice())
  })
  return [...chunks, rest]
}

describe('forEachChunk', () => {
  it('keeps every byte in order, with all chunks except the last of one size', async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(pieces, fc.integer({ min: 1, max: 50 }), async (content, size) => {
        const chunks = await cut(streamOf(content), size)
        const whole = Buffer.concat(content)
        expect(Buffer.concat(chunks).equals(whole)).toBe(true)
        expect(chunks.slice(0, -1).every(({ length }) => length === size)).toBe(true)
        expect(chunks.at(-1)?.length).toBe(whole.length === 0 ? 0 : ((whole.length - 1) % size) + 1)
      }),
      { numRuns: 10_000 },
    )
  }, 30_000)

  it('rejects with the error of the content', async () => {
    const error = new Error('the sender hung up')
    await expect(cut(streamOf([Uint8Array.of(1)], error), 10)).rejects.toBe(error)
  })

  it('cancels the content when a chunk cannot be stored', async () => {
    let isCancelled = false
    const content = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(10)),
      cancel: () => {
        isCancelled = true
      },
    })
    const error = new Error('full')
    await expect(forEachChunk(content, 10, () => Promise.reject(error))).rejects.toBe(error)
    expect(isCancelled).toBe(true)
  })
})
