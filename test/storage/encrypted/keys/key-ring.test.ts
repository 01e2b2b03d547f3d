import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DecryptionError, StorageError } from '../../../../src/errors.js'
import {
  currentKey,
  decodeRing,
  encodeRing,
  sealRings,
  vaultRings,
} from '../../../../src/storage/encrypted/keys/key-ring.js'
import { utf8 } from '../../../support/bytes.js'

const maxBytes = 1024 * 1024
const made = Date.UTC(2026, 0, 1)

/** Returns a ring as long as one whose secret was wrapped with a local KEK. */
function ringOf(count: number) {
  const keys = Array.from({ length: count }, (_, at) => ({ id: at + 1, made }))
  const base64 = (length: number) => btoa('x'.repeat(length))
  const sealed = count === 0 ? '' : base64(24 + 32 * (count + 1) + 16)
  const secret = count === 0 ? '' : base64(24 + 32 + 16)
  const kekId = count === 0 ? '' : 'key-01234567'
  const content = { use: vaultRings, hasReencryptions: false, kekId, secret, keys, sealed }
  return { ...content, mac: base64(32) }
}

/** Returns the text of a ring of one key after a change. */
function changeText(change: (text: string) => string): Uint8Array {
  return utf8(change(new TextDecoder().decode(encodeRing(ringOf(1)).body)))
}

describe('encodeRing', () => {
  it('encodes a ring of 13,817 keys, and throws when one more exceeds 1 MiB', () => {
    expect(encodeRing(ringOf(13_817)).body.length).toBeLessThanOrEqual(maxBytes)
    expect(() => encodeRing(ringOf(13_818))).toThrow(
      new StorageError('a key ring cannot be larger than 1 MiB'),
    )
  })
})

describe('decodeRing', () => {
  it('decodes a ring of 13,817 keys, and throws a DecryptionError when a ring exceeds 1 MiB', () => {
    const { body } = encodeRing(ringOf(13_817))
    expect(decodeRing({ version: 1, body }, vaultRings).keys).toHaveLength(13_817)
    const { use: _, hasReencryptions: shifted, ...content } = ringOf(13_818)
    const ring = JSON.stringify({ format: 1, shifted, next: false, ...content })
    expect(() => decodeRing({ version: 1, body: utf8(ring) }, vaultRings)).toThrow(DecryptionError)
  })

  it.each(['0', '1', '9007199254740991'])('decodes a key when made is %s', (text) => {
    const body = changeText((ring) => ring.replace(`${made}`, text))
    expect(decodeRing({ version: 1, body }, vaultRings).keys[0]?.made).toBe(Number(text))
  })

  it.each(['-1', '-0', '0.5', '1.0', '1e3', '9007199254740992', '"1"', 'null', '1,"more":1'])(
    'throws a DecryptionError when made is %s',
    (text) => {
      const body = changeText((ring) => ring.replace(`${made}`, text))
      expect(() => decodeRing({ version: 1, body }, vaultRings)).toThrow(DecryptionError)
    },
  )

  it.each([
    ['true', '"next":true,'],
    ['no boolean', '"next":0,'],
    ['missing', ''],
    ['repeated', '"next":false,"next":false,'],
  ])('throws a DecryptionError when next is %s', (_, text) => {
    const body = changeText((ring) => ring.replace('"next":false,', text))
    expect(() => decodeRing({ version: 1, body }, vaultRings)).toThrow(DecryptionError)
  })
})

describe('decodeRing of encodeRing', () => {
  const base64 = (max: number) =>
    fc
      .uint8Array({ minLength: 1, maxLength: max })
      .map((bytes) => Buffer.from(bytes).toString('base64'))
  const anyRing = fc
    .record({
      shifted: fc.boolean(),
      isSealer: fc.boolean(),
      kekId: fc.string({ minLength: 1, maxLength: 40, unit: 'binary' }),
      secret: base64(100),
      ids: fc.uniqueArray(fc.integer({ min: 1, max: 65_535 }), { minLength: 2, maxLength: 9 }),
      made: fc.maxSafeNat(),
      mac: base64(32),
    })
    .map(({ shifted, isSealer, ids, made, ...rest }) => {
      const keys = ids.toSorted((a, b) => a - b).map((id) => ({ id, made }))
      const sealed = Buffer.alloc(24 + 32 * (1 + ids.length) + 16, ids[0]).toString('base64')
      const use = isSealer ? sealRings : vaultRings
      return { use, hasReencryptions: shifted, keys, sealed, ...rest }
    })

  it('is the ring', () => {
    fc.assert(
      fc.property(anyRing, (ring) => {
        const { body } = encodeRing(ring)
        expect(decodeRing({ version: 7, body }, ring.use)).toEqual({ ...ring, version: 7 })
      }),
    )
  })

  it('has no other form, whatever byte is changed, added or removed', () => {
    const anyChange = fc.record({ at: fc.nat(), bytes: fc.uint8Array({ maxLength: 2 }) })
    fc.assert(
      fc.property(anyRing, anyChange, ({ use, ...content }, { at, bytes }) => {
        const { body } = encodeRing({ use, ...content })
        const place = at % body.length
        const changed = Uint8Array.from([
          ...body.slice(0, place),
          ...bytes,
          ...body.slice(place + 1),
        ])
        let decoded: ReturnType<typeof decodeRing>
        try {
          decoded = decodeRing({ version: 7, body: changed }, use)
        } catch (error) {
          expect(error).toBeInstanceOf(DecryptionError)
          return
        }
        expect(encodeRing(decoded).body).toEqual(changed)
      }),
    )
  })

  it.each([
    ['a KEK without an id', { kekId: '' }],
    ['a KEK with an id of 2,049 characters', { kekId: 'k'.repeat(2049) }],
    ['no secret', { secret: '' }],
    ['a secret of 8,193 characters', { secret: 'A'.repeat(8193) }],
    ['no encrypted keys', { sealed: '' }],
    ['too many encrypted keys', { sealed: ringOf(2).sealed }],
  ])('throws a DecryptionError when a ring has %s', (_, change) => {
    const { body } = encodeRing({ ...ringOf(1), ...change })
    expect(() => decodeRing({ version: 1, body }, vaultRings)).toThrow(DecryptionError)
  })

  it.each([{ kekId: 'key-01234567' }, { secret: 'AAAA' }, { sealed: 'AAAA' }])(
    'throws a DecryptionError when a ring without keys has %o',
    (change) => {
      const { body } = encodeRing({ ...ringOf(0), ...change })
      expect(() => decodeRing({ version: 1, body }, vaultRings)).toThrow(DecryptionError)
    },
  )
})

describe('sealRings', () => {
  it('have two keys or none, and are not rings of a vault', () => {
    for (const count of [0, 1, 2, 3]) {
      const { body } = encodeRing({ ...ringOf(count), use: sealRings })
      expect(() => decodeRing({ version: 1, body }, vaultRings)).toThrow(DecryptionError)
      const decode = () => decodeRing({ version: 1, body }, sealRings)
      if (count === 1) expect(decode).toThrow(DecryptionError)
      else expect(decode().keys).toHaveLength(count)
    }
  })
})

describe('currentKey', () => {
  it('returns the last key of a vault, and the one before it of a sealer', () => {
    expect(currentKey(ringOf(3)).id).toBe(3)
    expect(currentKey({ ...ringOf(3), use: sealRings }).id).toBe(2)
    for (const use of [vaultRings, sealRings])
      expect(() => currentKey({ use, keys: [] })).toThrow(DecryptionError)
  })
})
