import { describe, expect, it } from 'vitest'
import { DecryptionError, StorageError } from '../../../../src/errors.js'
import { decodeRing, encodeRing } from '../../../../src/storage/encrypted/keys/key-ring.js'

function ringOf(count: number) {
  const wrapped = btoa('x'.repeat(104))
  const keys = Array.from({ length: count }, (_, at) => ({ id: at + 1, kekId: 'local', wrapped }))
  return { hasReencryptions: false, keys, mac: 'mac' }
}

describe('encodeRing', () => {
  it('encodes a ring of 5,000 keys, and throws when a ring exceeds 1 MiB', () => {
    expect(encodeRing(ringOf(5_000)).body.length).toBeLessThan(1024 * 1024)
    expect(() => encodeRing(ringOf(6_500))).toThrow(
      new StorageError('the keys of the scope exceed 1 MiB'),
    )
  })
})

describe('decodeRing', () => {
  it('decodes a ring of 5,000 keys, and throws a DecryptionError when a ring exceeds 1 MiB', () => {
    const { body } = encodeRing(ringOf(5_000))
    expect(decodeRing({ version: 1, body }).keys).toHaveLength(5_000)
    const { keys, mac } = ringOf(6_500)
    const ring = JSON.stringify({ format: 1, shifted: false, keys, mac })
    const tooLong = new TextEncoder().encode(ring)
    expect(() => decodeRing({ version: 1, body: tooLong })).toThrow(DecryptionError)
  })
})
