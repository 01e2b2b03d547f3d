import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeFields, type Field } from '../../../../src/storage/encrypted/envelope/encoding.js'
import { fields } from '../../../support/stores/encrypted-reader.js'

const text = fc.string({ unit: 'grapheme', maxLength: 20 })
const number = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
const field: fc.Arbitrary<Field> = fc.oneof(text, number, fc.uint8Array({ maxLength: 20 }))

describe('encodeFields', () => {
  it('writes each field after its length in 4 bytes, big-endian', () => {
    const bytes = encodeFields(['ab', 258, Uint8Array.of(9), '', 'é'])
    expect(Buffer.from(bytes).toString('hex')).toBe(
      ['000000026162', '000000080000000000000102', '0000000109', '00000000']
        .concat('00000002c3a9')
        .join(''),
    )
  })

  it('returns the same bytes as an implementation by the documentation', () => {
    fc.assert(
      fc.property(fc.array(field, { maxLength: 8 }), (values) => {
        const encoded = Buffer.from(encodeFields(values))
        return encoded.equals(fields(...values))
      }),
      { numRuns: 10_000 },
    )
  })

  it('returns different bytes for different lists of strings', () => {
    const texts = fc.array(text, { maxLength: 4 })
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        const isSame = Buffer.from(encodeFields(one)).equals(encodeFields(other))
        return isSame === (JSON.stringify(one) === JSON.stringify(other))
      }),
      { numRuns: 10_000 },
    )
  })
})
