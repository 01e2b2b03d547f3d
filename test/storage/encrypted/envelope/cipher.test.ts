import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DecryptionError } from '../../../../src/errors.js'
import {
  type Cipher,
  decrypt,
  encrypt,
  loadNativeCipher,
  minNativeLength,
  portableCipher,
  tagLength,
} from '../../../../src/storage/encrypted/envelope/cipher.js'
import { chunkLength } from '../../../../src/storage/encrypted/envelope/stream-envelope.js'
import { propertyRuns } from '../../../support/arbitraries/property-runs.js'

const native = loadNativeCipher()
if (native === undefined) throw new Error('Node has node:crypto')
const ciphers = [portableCipher, native]

const arbitraryParameters = fc.tuple(
  fc.uint8Array({ minLength: 32, maxLength: 32 }),
  fc.uint8Array({ minLength: 24, maxLength: 24 }),
  fc.uint8Array({ maxLength: 100 }),
)

describe('encrypt', () => {
  it.each([0, 1, minNativeLength - 1, minNativeLength, minNativeLength + 1, 1_900_000])(
    'returns what decrypt reads, the same bytes with an output, for %i bytes',
    (length) => {
      const parameters = [new Uint8Array(32), new Uint8Array(24), new Uint8Array(9)] as const
      const plaintext = Uint8Array.from({ length }, (_, index) => index * 31)
      const ciphertext = encrypt(...parameters, plaintext)
      const output = new Uint8Array(length + tagLength)
      expect(encrypt(...parameters, plaintext, output)).toBe(output)
      expect(Buffer.compare(output, ciphertext)).toBe(0)
      const decrypted = decrypt(...parameters, ciphertext)
      expect(decrypted.constructor).toBe(Uint8Array)
      expect(Buffer.compare(decrypted, plaintext)).toBe(0)
    },
  )
})

describe('decrypt', () => {
  it.each([100, minNativeLength])(
    'throws a DecryptionError when any byte of %i is another one',
    (length) => {
      const parameters = [new Uint8Array(32), new Uint8Array(24), new Uint8Array(9)] as const
      const ciphertext = encrypt(...parameters, new Uint8Array(length))
      for (const index of [0, length - 1, length, length + tagLength - 1]) {
        const changed = ciphertext.slice()
        changed[index] = 1 ^ Number(changed[index])
        expect(() => decrypt(...parameters, changed)).toThrow(DecryptionError)
      }
      for (const changed of parameters) {
        changed[0] = 1
        expect(() => decrypt(...parameters, ciphertext)).toThrow(DecryptionError)
        changed[0] = 0
      }
      expect(() => decrypt(...parameters, ciphertext.subarray(1))).toThrow(DecryptionError)
    },
  )
})

/** The example of draft-irtf-cfrg-xchacha-03, appendix A.3.1. */
const example = {
  parameters: [
    Uint8Array.from({ length: 32 }, (_, index) => 0x80 + index),
    Uint8Array.from({ length: 24 }, (_, index) => 0x40 + index),
    bytes('50515253c0c1c2c3c4c5c6c7'),
  ],
  plaintext:
    "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.",
  ciphertext:
    'bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb' +
    '731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452' +
    '2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9' +
    '21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49',
} as const

/**
 * SHA-256 of the ciphertext and the tag of plaintexts by their length, with the parameters of the
 * example. Computed with HChaCha20 in Python and `ChaCha20Poly1305` of its package `cryptography`.
 */
const hashes: readonly (readonly [length: number, sha256: string])[] = [
  [0, '31ba80e9eba7e8bd5b8f7f7708d4420101d7a229c9f6005aa694c510b90fc2d3'],
  [4095, '423074e23a0473ede0c283137319bf7a3e06caeeba7e2bb63cefc7d069381843'],
  [4096, 'b0e5925c607b920524e2ce266531297f0b7fcf2a644671fca8b36a18d22cacf9'],
  [4097, 'aa63a03fea79fc8d10907cdc471a364e1857ff5c783c41727b03a410617cb5e5'],
  [65_535, '4725382529ca67bab18a09c12b22c1982d59752b8ab023777a028c33c5119a45'],
  [65_536, '5d86ec0cd90253c709eb26e849e7502c19be37d458412eff755595911e0cc781'],
  [65_537, 'bab56e4dccf58b75366762233b821ccb9e21064c4430e74b76c30efd95dfe4e3'],
  [1_900_000, 'b8e2f1b26b00245257f3b13499d2f5db11d458c1cbcca20dda88ab9ca387d700'],
]

/** Bytes that differ from block to block. */
function patternOf(length: number, factor = 31): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => index * factor + (index >> 8))
}

function seal(cipher: Cipher, parameters: Parameters<Cipher['encrypt']>[0], plaintext: Uint8Array) {
  const output = new Uint8Array(plaintext.length + tagLength)
  cipher.encrypt(parameters, plaintext, output)
  return output
}

describe.each([
  ['portableCipher', portableCipher],
  ['loadNativeCipher', native],
] as const)('%s', (_, cipher) => {
  const { parameters } = example

  it('returns the bytes of the example of the draft, and reads them', () => {
    const plaintext = new TextEncoder().encode(example.plaintext)
    const ciphertext = bytes(example.ciphertext)
    expect(seal(cipher, parameters, plaintext)).toEqual(ciphertext)
    expect(new Uint8Array(cipher.decrypt(parameters, ciphertext))).toEqual(plaintext)
  })

  it.each(hashes)('returns the bytes of another implementation for %i bytes', (length, sha256) => {
    const plaintext = patternOf(length)
    const ciphertext = seal(cipher, parameters, plaintext)
    expect(createHash('sha256').update(ciphertext).digest('hex')).toBe(sha256)
    expect(Buffer.compare(cipher.decrypt(parameters, ciphertext), plaintext)).toBe(0)
  })
})

describe('loadNativeCipher', () => {
  it('returns a cipher with the bytes of the one in JavaScript around the sizes of each', () => {
    const sizes = fc.tuple(
      fc.constantFrom(20, 64, minNativeLength, chunkLength, 2 * chunkLength),
      fc.integer({ min: -20, max: 20 }),
    )
    fc.assert(
      fc.property(arbitraryParameters, sizes, fc.nat(255), (parameters, [border, more], factor) => {
        const plaintext = patternOf(border + more, factor)
        const [left, right] = [
          seal(portableCipher, parameters, plaintext),
          seal(native, parameters, plaintext),
        ]
        return (
          Buffer.compare(native.decrypt(parameters, left), plaintext) === 0 &&
          Buffer.compare(portableCipher.decrypt(parameters, right), plaintext) === 0
        )
      }),
      { numRuns: propertyRuns(100) },
    )
  })

  it('returns a cipher with the bytes of the one in JavaScript', () => {
    fc.assert(
      fc.property(
        arbitraryParameters,
        fc.uint8Array({ maxLength: 20_000, size: 'max' }),
        (parameters, plaintext) => {
          const [left, right] = [
            seal(portableCipher, parameters, plaintext),
            seal(native, parameters, plaintext),
          ]
          return (
            Buffer.compare(left, right) === 0 &&
            ciphers.every(
              (cipher) => Buffer.compare(cipher.decrypt(parameters, left), plaintext) === 0,
            )
          )
        },
      ),
      { numRuns: propertyRuns() },
    )
  })

  it('returns a cipher that takes a key and a nonce inside of a larger buffer', () => {
    const pool = Buffer.from(Array.from({ length: 100 }, (_, index) => index))
    const parameters = [pool.subarray(3, 35), pool.subarray(41, 65), pool.subarray(70, 80)] as const
    const [left, right] = ciphers.map((cipher) => seal(cipher, parameters, pool.subarray(90)))
    expect(left).toEqual(right)
  })

  it('returns undefined when the runtime has no such cipher, or one with other bytes', () => {
    const crypto = process.getBuiltinModule('node:crypto')
    const throwing = (): never => {
      throw new Error('Unknown cipher')
    }
    const withoutNonce = (name: 'chacha20-poly1305', key: Uint8Array) =>
      crypto.createCipheriv(name, key, new Uint8Array(12), { authTagLength: 16 })
    for (const platform of [
      {},
      { getBuiltinModule: () => undefined },
      { getBuiltinModule: () => ({ ...crypto, createCipheriv: throwing }) },
      { getBuiltinModule: () => ({ ...crypto, createDecipheriv: throwing }) },
      { getBuiltinModule: () => ({ ...crypto, createCipheriv: withoutNonce as never }) },
    ])
      expect(loadNativeCipher(platform)).toBeUndefined()
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

function bytes(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'))
}

describe(`Wycheproof, XChaCha20-Poly1305${folder === '' ? ' (not run: WYCHEPROOF is not set)' : ''}`, () => {
  const tests = wycheproof()

  it('has 315 cases when WYCHEPROOF is set', () => {
    expect(tests).toHaveLength(folder === '' ? 0 : 315)
  })

  it.each(tests)('case $tcId $comment', ({ key, iv, aad, msg, ct, tag, result }) => {
    const parameters = [bytes(key), bytes(iv), bytes(aad)] as const
    for (const cipher of ciphers) {
      const decryptCase = (): Uint8Array => cipher.decrypt(parameters, bytes(ct + tag))
      if (result === 'invalid') {
        expect(decryptCase).toThrow()
      } else {
        expect(Buffer.from(decryptCase()).toString('hex')).toBe(msg)
        const output = seal(cipher, parameters, bytes(msg))
        expect(Buffer.from(output).toString('hex')).toBe(ct + tag)
      }
    }
  })
})
