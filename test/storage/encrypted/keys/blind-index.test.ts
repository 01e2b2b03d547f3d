import { describe, expect, it } from 'vitest'
import { createBlindIndexer } from '../../../../src/storage/encrypted/keys/blind-index.js'
import * as reader from '../../../support/stores/encrypted-reader.js'
import vectors from '../../../vectors/envelope.json' with { type: 'json' }

describe('createLabeller', () => {
  it.each(vectors.labels)(
    'gives "$text" in $collection the label of its vector',
    async (vector) => {
      const key = Buffer.from(vector.key, 'hex')
      const labelOf = createBlindIndexer(key)
      for (const _ of ['computed', 'remembered']) {
        const { bytes, text } = await labelOf(vector.collection, vector.text)
        expect(Buffer.from(bytes).toString('hex')).toBe(vector.label)
        expect(Buffer.from(text, 'base64').toString('hex')).toBe(vector.label)
      }
      expect(reader.labelOf(key, vector.collection, vector.text).toString('hex')).toBe(vector.label)
    },
  )

  it('gives the same label when more than it remembers have come in between', async () => {
    const labelOf = createBlindIndexer(new Uint8Array(32))
    const first = await labelOf('c', 'first')
    const others = await Promise.all(
      Array.from({ length: 1000 }, async (_, index) => labelOf('c', `${index}`)),
    )
    expect(await labelOf('c', 'first')).toEqual(first)
    expect(new Set(others.map(({ text }) => text)).size).toBe(1000)
  })
})
