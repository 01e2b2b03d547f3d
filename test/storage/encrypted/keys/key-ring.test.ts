import { describe, expect, it } from 'vitest'
import { DecryptionError, StorageError } from '../../../../src/errors.js'
import { decodeRing, encodeRing } from '../../../../src/storage/encrypted/keys/key-ring.js'

function ringOf(count: number) {
  const wrapped = btoa('x'.repeat(104))
  const keys = Array.from({ length: count }, (_, at) => ({ id: at + 1, kekId: 'local', wrapped }))
  return { shifted: false, keys, mac: 'mac' }
}

describe('encodeRing and decodeRing', () => {
  it('take a ring of 5,000 keys, and refuse one of more than 1 MiB', () => {
    const { body } = encodeRing(ringOf(5_000))
    expect(decodeRing({ version: 1, body }).keys).toHaveLength(5_000)
    expect(() => encodeRing(ringOf(6_500))).toThrow(
      new StorageError('the keys of the scope exceed 1 MiB'),
    )
    const tooLong = new TextEncoder().encode(JSON.stringify({ format: 1, ...ringOf(6_500) }))
    expect(() => decodeRing({ version: 1, body: tooLong })).toThrow(DecryptionError)
  })
})
