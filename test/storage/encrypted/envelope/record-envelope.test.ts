import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { undecryptableError } from '../../../../src/base/fixed-errors.js'
import { DecryptionError } from '../../../../src/errors.js'
import {
  decryptEnvelope,
  encryptEnvelope,
  parseHeader,
  type RecordLocation,
  randomBytes,
} from '../../../../src/storage/encrypted/envelope/record-envelope.js'
import { propertyRuns } from '../../../support/arbitraries/property-runs.js'
import * as reader from '../../../support/stores/encrypted-reader.js'
import vectors from '../../../vectors/envelope.json' with { type: 'json' }

const key = { id: 1, bytes: randomBytes(32) }
const row: RecordLocation = { collection: 'items/v', id: 'a', version: 3 }
const blindIndex = randomBytes(16)
const noBytes = new Uint8Array(0)

function bytes(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'))
}

/** Decrypts as a store does: parses the header, then decrypts. */
function decryptAt(location: RecordLocation, envelope: Uint8Array, dataKey = key): Uint8Array {
  const header = parseHeader(envelope)
  if (header === undefined || header.keyId !== dataKey.id) throw undecryptableError()
  return decryptEnvelope(location, dataKey, envelope, header)
}

function canDecrypt(location: RecordLocation, envelope: Uint8Array, dataKey = key): boolean {
  try {
    decryptAt(location, envelope, dataKey)
    return true
  } catch (error) {
    if (error instanceof DecryptionError) return false
    throw error
  }
}

const arbitraryKey = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 128 })
const arbitraryRow = fc.record({
  collection: arbitraryKey,
  id: arbitraryKey,
  version: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
})

describe('encryptEnvelope', () => {
  it('returns an envelope that decrypts to the body, and is never the same twice', () => {
    const contents = fc.record({
      body: fc.uint8Array({ maxLength: 300 }),
      blindIndex: fc.constantFrom(blindIndex, noBytes),
      reencryptionCount: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    })
    const keyId = fc.integer({ min: 1, max: 65_535 })
    fc.assert(
      fc.property(arbitraryRow, keyId, contents, (location, id, content) => {
        const dataKey = { id, bytes: key.bytes }
        const envelope = encryptEnvelope(location, dataKey, content)
        const again = Buffer.from(encryptEnvelope(location, dataKey, content))
        const header = parseHeader(envelope)
        return (
          header?.keyId === id &&
          header.reencryptionCount === content.reencryptionCount &&
          Buffer.from(content.blindIndex).equals(header.blindIndex) &&
          Buffer.from(content.body).equals(decryptAt(location, envelope, dataKey)) &&
          !again.equals(envelope)
        )
      }),
      { numRuns: propertyRuns() },
    )
  })

  it('throws a RangeError when the re-encryption count exceeds 4 bytes', () => {
    const row = { collection: 'c', id: 'a', version: 2 ** 33 }
    const dataKey = { id: 1, bytes: randomBytes(32) }
    const encryptWith = (reencryptionCount: number): Uint8Array =>
      encryptEnvelope(row, dataKey, { body: noBytes, blindIndex: noBytes, reencryptionCount })
    expect(parseHeader(encryptWith(2 ** 32 - 1))?.reencryptionCount).toBe(2 ** 32 - 1)
    expect(() => encryptWith(2 ** 32)).toThrow(RangeError)
  })

  it('returns an envelope that cannot be decrypted at any other location', () => {
    fc.assert(
      fc.property(arbitraryRow, arbitraryRow, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other))
        const envelope = encryptEnvelope(one, key, {
          body: randomBytes(8),
          blindIndex,
          reencryptionCount: 0,
        })
        return !canDecrypt(other, envelope)
      }),
      { numRuns: propertyRuns() },
    )
  })

  it('distinguishes locations whose concatenated collection and id are the same', () => {
    const envelope = encryptEnvelope({ collection: 'ab', id: 'c', version: 1 }, key, {
      body: noBytes,
      blindIndex: noBytes,
      reencryptionCount: 0,
    })
    expect(canDecrypt({ collection: 'a', id: 'bc', version: 1 }, envelope)).toBe(false)
    expect(canDecrypt({ collection: 'abc', id: '', version: 1 }, envelope)).toBe(false)
    expect(canDecrypt({ collection: 'ab', id: 'c', version: 1 + 2 ** 32 }, envelope)).toBe(false)
  })

  it.each([
    ['with a blind index', blindIndex],
    ['without a blind index', noBytes],
  ])(
    'returns an envelope that cannot be decrypted when changed, cut or extended, %s',
    (_, storedIndex) => {
      const body = new TextEncoder().encode('{"title":"mail"}')
      const envelope = encryptEnvelope(row, key, {
        body,
        blindIndex: storedIndex,
        reencryptionCount: 1,
      })
      expect(decryptAt(row, envelope)).toEqual(body)
      for (let bit = 0; bit < envelope.length * 8; bit++) {
        const flipped = envelope.slice()
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        expect(`bit ${bit} ${canDecrypt(row, flipped)}`).toBe(`bit ${bit} false`)
      }
      for (let length = 0; length < envelope.length; length++)
        expect(`${length} ${canDecrypt(row, envelope.subarray(0, length))}`).toBe(`${length} false`)
      expect(canDecrypt(row, Buffer.concat([envelope, new Uint8Array(1)]))).toBe(false)
    },
  )

  it('binds each of 100 envelopes to its own location and version', () => {
    const rows = Array.from({ length: 100 }, (_, index) => ({
      collection: `items/v${index % 4}`,
      id: `id-${index >> 2}`,
      version: 1 + (index % 3),
    }))
    const envelopes = rows.map((location) =>
      encryptEnvelope(location, key, { body: randomBytes(8), blindIndex, reencryptionCount: 0 }),
    )
    for (const [from, envelope] of envelopes.entries()) {
      for (const [to, location] of rows.entries())
        if (canDecrypt(location, envelope) !== (from === to))
          throw new Error(`${from} decrypted at ${to}`)
      for (const version of [0, 1, 2, 3, 4, 5]) {
        const location = { collection: '', id: '', ...rows[from], version }
        if (canDecrypt(location, envelope) !== (version === rows[from]?.version))
          throw new Error(`${from} decrypted as version ${version}`)
      }
    }
  })

  it('binds the envelope to the key and to its id', () => {
    const envelope = encryptEnvelope(row, key, {
      body: randomBytes(8),
      blindIndex,
      reencryptionCount: 0,
    })
    expect(canDecrypt(row, envelope, { id: 1, bytes: randomBytes(32) })).toBe(false)
    const renamed = envelope.slice()
    renamed[3] = 2
    expect(canDecrypt(row, renamed, { id: 2, bytes: key.bytes })).toBe(false)
  })
})

describe('parseHeader', () => {
  it.each([
    ['no bytes', noBytes],
    ['plaintext JSON', new TextEncoder().encode(`{"title":"${'x'.repeat(100)}"}`)],
    ['another format', Uint8Array.of(2, ...new Array(99).fill(0))],
    ['an unknown flag', Uint8Array.of(1, 2, ...new Array(98).fill(0))],
    ['a header without ciphertext', Uint8Array.of(1, 0, 0, 1, 0, 0, 0, 0)],
  ])('returns undefined for %s', (_, body) => {
    expect(parseHeader(body)).toBeUndefined()
  })

  it('parses an envelope in the middle of a larger buffer, which drivers return', () => {
    const envelope = encryptEnvelope(row, key, {
      body: randomBytes(100),
      blindIndex,
      reencryptionCount: 0,
    })
    const buffer = Buffer.concat([Buffer.from('x'), envelope, Buffer.from('x')])
    expect(decryptAt(row, buffer.subarray(1, -1))).toEqual(decryptAt(row, envelope))
  })
})

describe('randomBytes', () => {
  it('never returns the same 24 bytes in 100,000 calls', () => {
    const nonces = Array.from({ length: 100_000 }, () => randomBytes(24))
    const distinct = new Set(nonces.map((nonce) => Buffer.from(nonce).toString('latin1')))
    expect(distinct.size).toBe(100_000)
    expect(nonces.every(({ length }) => length === 24)).toBe(true)
  })
})

describe('the record vectors of test/vectors/envelope.json', () => {
  it.each(vectors.records)('are encrypted and decrypted: $what', (vector) => {
    const content = {
      body: bytes(vector.body),
      blindIndex: bytes(vector.label),
      reencryptionCount: vector.shift,
    }
    const dataKey = { id: vector.keyId, bytes: bytes(vector.key) }
    const envelope = bytes(vector.envelope)
    expect(encryptEnvelope(vector, dataKey, content, bytes(vector.nonce))).toEqual(envelope)
    expect(decryptAt(vector, envelope, dataKey)).toEqual(content.body)
    const readerBody = reader.decryptRecord(dataKey.bytes, vector, Buffer.from(envelope))
    expect(readerBody.toString('hex')).toBe(vector.body)
  })
})
