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

/** Returns a ring as long as one whose keys were wrapped with a local KEK. */
function ringOf(count: number) {
  const wrapped = btoa('x'.repeat(104))
  const keys = Array.from({ length: count }, (_, at) => {
    return { id: at + 1, made, kekId: 'local', wrapped }
  })
  return { use: vaultRings, hasReencryptions: false, keys, mac: btoa('x'.repeat(32)) }
}

/** Returns the text of a ring of one key after a change. */
function changeText(change: (text: string) => string): Uint8Array {
  return utf8(change(new TextDecoder().decode(encodeRing(ringOf(1)).body)))
}

describe('encodeRing', () => {
  it('encodes a ring of 5,195 keys, and throws when one more exceeds 1 MiB', () => {
    expect(encodeRing(ringOf(5_195)).body.length).toBeLessThanOrEqual(maxBytes)
    expect(() => encodeRing(ringOf(5_196))).toThrow(
      new StorageError('a key ring cannot be larger than 1 MiB'),
    )
  })
})

describe('decodeRing', () => {
  it('decodes a ring of 5,195 keys, and throws a DecryptionError when a ring exceeds 1 MiB', () => {
    const { body } = encodeRing(ringOf(5_195))
    expect(decodeRing({ version: 1, body }).keys).toHaveLength(5_195)
    const { keys, mac } = ringOf(5_196)
    const ring = JSON.stringify({ format: 1, shifted: false, next: false, keys, mac })
    expect(() => decodeRing({ version: 1, body: utf8(ring) })).toThrow(DecryptionError)
  })

  it.each(['0', '1', '9007199254740991'])('decodes a key when made is %s', (text) => {
    const body = changeText((ring) => ring.replace(`${made}`, text))
    expect(decodeRing({ version: 1, body }).keys[0]?.made).toBe(Number(text))
  })

  it.each(['-1', '-0', '0.5', '1.0', '1e3', '9007199254740992', '"1"', 'null', '1,"more":1'])(
    'throws a DecryptionError when made is %s',
    (text) => {
      const body = changeText((ring) => ring.replace(`${made}`, text))
      expect(() => decodeRing({ version: 1, body })).toThrow(DecryptionError)
    },
  )

  it.each([
    ['true', '"next":true,'],
    ['no boolean', '"next":0,'],
    ['missing', ''],
    ['repeated', '"next":false,"next":false,'],
  ])('throws a DecryptionError when next is %s', (_, text) => {
    const body = changeText((ring) => ring.replace('"next":false,', text))
    expect(() => decodeRing({ version: 1, body })).toThrow(DecryptionError)
  })
})

describe('sealRings', () => {
  it('have two keys or none, and are not rings of a vault', () => {
    for (const count of [0, 1, 2, 3]) {
      const { body } = encodeRing({ ...ringOf(count), use: sealRings })
      expect(() => decodeRing({ version: 1, body })).toThrow(DecryptionError)
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
