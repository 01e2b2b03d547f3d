import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Chunk, cutContent } from '../../src/storage/chunks.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { streamOf } from '../support/bytes.js'

async function cut(
  content: Uint8Array | ReadableStream<Uint8Array>,
  size: number,
  firstSize?: number,
): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const { bytes, isLast } of cutContent(content, size, firstSize))
    chunks.push({ bytes: bytes.slice(), isLast })
  return chunks
}

describe('cutContent', () => {
  it('keeps every byte in order, with all chunks except the last of one size', async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 })
    const sizes = fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }))
    await fc.assert(
      fc.asyncProperty(pieces, sizes, async (content, [size, firstSize]) => {
        const whole = Buffer.concat(content)
        for (const source of [streamOf(content), new Uint8Array(whole)]) {
          const chunks = await cut(source, size, firstSize)
          const lengths = chunks.map(({ bytes }) => bytes.length)
          const last = lengths.pop() ?? Number.NaN
          expect(Buffer.concat(chunks.map(({ bytes }) => bytes)).equals(whole)).toBe(true)
          expect(chunks.map(({ isLast }) => isLast)).toEqual([...lengths.map(() => false), true])
          expect(lengths).toEqual(lengths.map((_, index) => (index === 0 ? firstSize : size)))
          expect(last === 0).toBe(whole.length === 0)
          expect(last).toBeLessThanOrEqual(lengths.length === 0 ? firstSize : size)
        }
      }),
      { numRuns: propertyRuns() },
    )
  })

  it('throws the error of the content', async () => {
    const error = new Error('the sender hung up')
    await expect(cut(streamOf([Uint8Array.of(1)], error), 10)).rejects.toBe(error)
  })

  it('cancels the content when the iteration ends early', async () => {
    let isCancelled = false
    const content = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(10)),
      cancel: () => {
        isCancelled = true
      },
    })
    for await (const { bytes } of cutContent(content, 10)) {
      expect(bytes).toHaveLength(10)
      break
    }
    expect(isCancelled).toBe(true)
  })

  it.each([0, 1])(
    'yields to the event loop while it reads 50,000 pieces of %d bytes',
    async (length) => {
      let [pieces, turns] = [0, 0]
      const stream = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (pieces++ < 50_000) controller.enqueue(new Uint8Array(length))
          else controller.close()
        },
      })
      const count = (): void => {
        turns++
        timer = setImmediate(count)
      }
      let timer = setImmediate(count)
      const [chunk] = await cut(stream, 100_000)
      clearImmediate(timer)
      expect(chunk?.bytes).toHaveLength(50_000 * length)
      expect(turns).toBeGreaterThan(100)
    },
  )
})
