import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DecryptionError } from '../../../../src/errors.js'
import {
  decrypt,
  encrypt,
  loadNativeCipher,
  minNativeLength,
  portableCipher,
  tagLength,
} from '../../../../src/storage/encrypted/envelope/cipher.js'
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

describe('loadNativeCipher', () => {
  it('returns a cipher with the bytes of the one in JavaScript', () => {
    fc.assert(
      fc.property(
        arbitraryParameters,
        fc.uint8Array({ maxLength: 20_000, size: 'max' }),
        (parameters, plaintext) => {
          const [left, right] = ciphers.map((cipher) => {
            const output = new Uint8Array(plaintext.length + tagLength)
            cipher.encrypt(parameters, plaintext, output)
            return output
          }) as [Uint8Array, Uint8Array]
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
    const [left, right] = ciphers.map((cipher) => {
      const output = new Uint8Array(10 + tagLength)
      cipher.encrypt(parameters, pool.subarray(90), output)
      return output
    })
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
        const output = new Uint8Array(msg.length / 2 + tagLength)
        cipher.encrypt(parameters, bytes(msg), output)
        expect(Buffer.from(output).toString('hex')).toBe(ct + tag)
      }
    }
  })
})
