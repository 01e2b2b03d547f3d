import { describe, expect, it } from 'vitest'
import { createBlindIndexer } from '../../../../src/storage/encrypted/keys/blind-index.js'
import * as reader from '../../../support/stores/encrypted-reader.js'
import vectors from '../../../vectors/envelope.json' with { type: 'json' }

describe('createBlindIndexer', () => {
  it.each(vectors.labels)(
    'returns the blind index of the vector for "$text" in $collection',
    async (vector) => {
      const key = Buffer.from(vector.key, 'hex')
      const { compute } = createBlindIndexer(key)
      for (const _ of ['computed', 'remembered']) {
        const { bytes, text } = await compute(vector.collection, vector.text)
        expect(Buffer.from(bytes).toString('hex')).toBe(vector.label)
        expect(Buffer.from(text, 'base64').toString('hex')).toBe(vector.label)
      }
      expect(reader.blindLabel(key, vector.collection, vector.text).toString('hex')).toBe(
        vector.label,
      )
    },
  )

  it('returns the same blind index when it is no longer cached', async () => {
    const { compute } = createBlindIndexer(new Uint8Array(32))
    const first = await compute('c', 'first')
    const others = await Promise.all(
      Array.from({ length: 1000 }, async (_, index) => compute('c', `${index}`)),
    )
    expect(await compute('c', 'first')).toEqual(first)
    expect(new Set(others.map(({ text }) => text)).size).toBe(1000)
  })
})
