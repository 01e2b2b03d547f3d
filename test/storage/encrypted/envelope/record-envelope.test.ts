import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DecryptionError } from '../../../../src/errors.js'
import {
  decrypt,
  encrypt,
  headerOf,
  openRecord,
  type RecordLocation,
  randomBytes,
  sealRecord,
} from '../../../../src/storage/encrypted/envelope/record-envelope.js'
import { propertyRuns } from '../../../support/arbitraries/property-runs.js'
import * as reader from '../../../support/stores/encrypted-reader.js'
import vectors from '../../../vectors/envelope.json' with { type: 'json' }

const key = { id: 1, bytes: randomBytes(32) }
const row: RecordLocation = { collection: 'items/v', id: 'a', version: 3 }
const indexKey = randomBytes(16)
const noLabel = new Uint8Array(0)

function bytes(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'))
}

/** What a store does with what it finds: looks at the header, then opens. */
function opened(ref: RecordLocation, envelope: Uint8Array, dataKey = key): Uint8Array {
  const header = headerOf(envelope)
  if (header === undefined || header.keyId !== dataKey.id) throw new DecryptionError()
  return openRecord(ref, dataKey, envelope, header)
}

function opens(ref: RecordLocation, envelope: Uint8Array, dataKey = key): boolean {
  try {
    opened(ref, envelope, dataKey)
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

describe('the envelope of a record', () => {
  it('gives back any body in any row, under any key, and is new every time', () => {
    const content = fc.record({
      body: fc.uint8Array({ maxLength: 300 }),
      label: fc.constantFrom(indexKey, noLabel),
      shift: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    })
    const keyId = fc.integer({ min: 1, max: 65_535 })
    fc.assert(
      fc.property(arbitraryRow, keyId, content, (ref, id, sealed) => {
        const dataKey = { id, bytes: key.bytes }
        const envelope = sealRecord(ref, dataKey, sealed)
        const again = Buffer.from(sealRecord(ref, dataKey, sealed))
        const header = headerOf(envelope)
        return (
          header?.keyId === id &&
          header.shift === sealed.shift &&
          Buffer.from(sealed.label).equals(header.label) &&
          Buffer.from(sealed.body).equals(opened(ref, envelope, dataKey)) &&
          !again.equals(envelope)
        )
      }),
      { numRuns: propertyRuns() },
    )
  })

  it('is refused with a shift that has no room in it', () => {
    const row = { collection: 'c', id: 'a', version: 2 ** 33 }
    const seal = (shift: number): Uint8Array =>
      sealRecord(row, { id: 1, bytes: randomBytes(32) }, { body, label: body, shift })
    const body = new Uint8Array(0)
    expect(headerOf(seal(2 ** 32 - 1))?.shift).toBe(2 ** 32 - 1)
    expect(() => seal(2 ** 32)).toThrow(RangeError)
  })

  it('does not open in any other row', () => {
    fc.assert(
      fc.property(arbitraryRow, arbitraryRow, (mine, other) => {
        fc.pre(JSON.stringify(mine) !== JSON.stringify(other))
        const envelope = sealRecord(mine, key, { body: randomBytes(8), label: indexKey, shift: 0 })
        return !opens(other, envelope)
      }),
      { numRuns: propertyRuns() },
    )
  })

  it('does not open where collection and id are cut otherwise, or a number is written as text', () => {
    const envelope = sealRecord({ collection: 'ab', id: 'c', version: 1 }, key, {
      body: noLabel,
      label: noLabel,
      shift: 0,
    })
    expect(opens({ collection: 'a', id: 'bc', version: 1 }, envelope)).toBe(false)
    expect(opens({ collection: 'abc', id: '', version: 1 }, envelope)).toBe(false)
    expect(opens({ collection: 'ab', id: 'c', version: 1 + 2 ** 32 }, envelope)).toBe(false)
  })

  it.each([
    ['with a label', indexKey],
    ['without one', noLabel],
  ])('%s does not open with any bit flipped, cut at any length, or longer', (_, sealedLabel) => {
    const body = new TextEncoder().encode('{"title":"mail"}')
    const envelope = sealRecord(row, key, { body, label: sealedLabel, shift: 1 })
    expect(opened(row, envelope)).toEqual(body)
    for (let bit = 0; bit < envelope.length * 8; bit++) {
      const flipped = envelope.slice()
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(`bit ${bit} ${opens(row, flipped)}`).toBe(`bit ${bit} false`)
    }
    for (let length = 0; length < envelope.length; length++)
      expect(`${length} ${opens(row, envelope.subarray(0, length))}`).toBe(`${length} false`)
    expect(opens(row, Buffer.concat([envelope, new Uint8Array(1)]))).toBe(false)
  })

  it('of each of 100 records opens in no place of another, and under no other version', () => {
    const rows = Array.from({ length: 100 }, (_, index) => ({
      collection: `items/v${index % 4}`,
      id: `id-${index >> 2}`,
      version: 1 + (index % 3),
    }))
    const envelopes = rows.map((ref) =>
      sealRecord(ref, key, { body: randomBytes(8), label: indexKey, shift: 0 }),
    )
    for (const [from, envelope] of envelopes.entries()) {
      for (const [to, ref] of rows.entries())
        if (opens(ref, envelope) !== (from === to)) throw new Error(`${from} opens at ${to}`)
      for (const version of [0, 1, 2, 3, 4, 5]) {
        const ref = { ...rows[from], version } as RecordLocation
        if (opens(ref, envelope) !== (version === rows[from]?.version))
          throw new Error(`${from} opens as version ${version}`)
      }
    }
  })

  it('does not open with another key of the same id, or the same key under another id', () => {
    const envelope = sealRecord(row, key, { body: randomBytes(8), label: indexKey, shift: 0 })
    expect(opens(row, envelope, { id: 1, bytes: randomBytes(32) })).toBe(false)
    const renamed = envelope.slice()
    renamed[3] = 2
    expect(opens(row, renamed, { id: 2, bytes: key.bytes })).toBe(false)
  })

  it.each([
    ['nothing', noLabel],
    ['plain JSON', new TextEncoder().encode(`{"title":"${'x'.repeat(100)}"}`)],
    ['another format', Uint8Array.of(2, ...new Array(99).fill(0))],
    ['an unknown flag', Uint8Array.of(1, 2, ...new Array(98).fill(0))],
    ['a header alone', Uint8Array.of(1, 0, 0, 1, 0, 0, 0, 0)],
  ])('is not what %s is', (_, body) => {
    expect(headerOf(body)).toBeUndefined()
  })

  it('is read from the middle of a larger buffer, as drivers hand it out', () => {
    const envelope = sealRecord(row, key, { body: randomBytes(100), label: indexKey, shift: 0 })
    const buffer = Buffer.concat([Buffer.from('x'), envelope, Buffer.from('x')])
    expect(opened(row, buffer.subarray(1, -1))).toEqual(opened(row, envelope))
  })

  it('never uses a nonce twice in 100,000', () => {
    const nonces = Array.from({ length: 100_000 }, () => randomBytes(24))
    const distinct = new Set(nonces.map((nonce) => Buffer.from(nonce).toString('latin1')))
    expect(distinct.size).toBe(100_000)
    expect(nonces.every(({ length }) => length === 24)).toBe(true)
  })
})

describe('the vectors of the envelope', () => {
  it.each(vectors.records)('seal and open $what', (vector) => {
    const content = { body: bytes(vector.body), label: bytes(vector.label), shift: vector.shift }
    const dataKey = { id: vector.keyId, bytes: bytes(vector.key) }
    const envelope = bytes(vector.envelope)
    expect(sealRecord(vector, dataKey, content, bytes(vector.nonce))).toEqual(envelope)
    expect(opened(vector, envelope, dataKey)).toEqual(content.body)
    const theirs = reader.openRecord(dataKey.bytes, vector, Buffer.from(envelope))
    expect(theirs.toString('hex')).toBe(vector.body)
  })
})

const folder = process.env['WYCHEPROOF'] ?? ''

interface AeadTest {
  readonly tcId: number
  readonly comment: string
  readonly key: string
  readonly iv: string
  readonly aad: string
  readonly msg: string
  readonly ct: string
  readonly tag: string
  readonly result: 'valid' | 'invalid'
}

function wycheproof(): AeadTest[] {
  if (folder === '') return []
  const text = readFileSync(join(folder, 'xchacha20_poly1305_test.json'), 'utf8')
  const file: { testGroups: { tests: AeadTest[] }[] } = JSON.parse(text)
  return file.testGroups.flatMap(({ tests }) => tests)
}

/** The plaintext in digits, or `refused`, by the calls that the envelope makes. */
function decrypted({ key, iv, aad, ct, tag }: AeadTest): string {
  try {
    const plaintext = decrypt(bytes(key), bytes(iv), bytes(aad), bytes(ct + tag))
    return Buffer.from(plaintext).toString('hex')
  } catch (error) {
    if (error instanceof DecryptionError) return 'refused'
    throw error
  }
}

describe(`Wycheproof, XChaCha20-Poly1305${folder === '' ? ' (not run: WYCHEPROOF names no folder)' : ''}`, () => {
  const tests = wycheproof()

  it('is there as a whole, or not at all', () => {
    expect(tests).toHaveLength(folder === '' ? 0 : 315)
  })

  it.each(tests)('case $tcId $comment', (test) => {
    expect(decrypted(test)).toBe(test.result === 'valid' ? test.msg : 'refused')
    if (test.result === 'invalid') return
    const sealed = encrypt(bytes(test.key), bytes(test.iv), bytes(test.aad), bytes(test.msg))
    expect(Buffer.from(sealed).toString('hex')).toBe(test.ct + test.tag)
  })
})
