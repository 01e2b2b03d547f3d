import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { deriveId } from '../../../src/base/derive-id.js'
import { isReservedId } from '../../../src/base/reserved-id.js'
import { createRandomBytes, newId, newUuid } from '../../../src/core/runtime/random.js'
import { GenerationError } from '../../../src/errors.js'
import { isId } from '../../../src/schema/is-id.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'

const bytes16 = fc.uint8Array({ minLength: 16, maxLength: 16 })

/** Base32 of RFC 4648, section 6, computed naively: one number, split into groups of five bits. */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups
    .map((group) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(group.padEnd(5, '0'), 2)])
    .join('')
}

describe('newId', () => {
  it('returns two bits of 16 bytes as 0, 1, 8 or 9, and 125 as 25 characters of base32', () => {
    const law = fc.property(bytes16, (bytes) => {
      const id = newId(() => bytes)
      const isBase32 = id.slice(1) === base32(bytes).slice(0, 25)
      return isBase32 && id.charAt(0) === '0189'.charAt(Number(bytes.at(-1)) % 4) && isId(id)
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
  })

  it.each([
    ['00'.repeat(16), `0${'a'.repeat(25)}`],
    ['ff'.repeat(16), `9${'7'.repeat(25)}`],
    ['666f6f626172666f6f626172666f6f61', '1mzxw6ytbojtg633cmfzgm33pm'],
    ['666f6f626172666f6f626172666f6f62', '8mzxw6ytbojtg633cmfzgm33pm'],
  ])('encodes the bytes %s as %s', (hex, id) => {
    expect(newId(() => Uint8Array.from(Buffer.from(hex, 'hex')))).toBe(id)
  })

  it('requests 16 bytes once', () => {
    const lengths: number[] = []
    newId((length) => {
      lengths.push(length)
      return new Uint8Array(length)
    })
    expect(lengths).toEqual([16])
  })

  it.each([0, 1, 15, 17, 32])('throws GenerationError for %i bytes', (length) => {
    expect(() => newId(() => new Uint8Array(length))).toThrow(GenerationError)
  })
})

describe('isReservedId', () => {
  it('is true for every id that the vault makes, and for none that deriveId returns', async () => {
    const law = fc.asyncProperty(bytes16, fc.string(), async (bytes, name) => {
      const [made, derived] = [newId(() => bytes), await deriveId([name])]
      expect([isReservedId(made), isReservedId(derived), isId(derived)]).toEqual([
        true,
        false,
        true,
      ])
    })
    await fc.assert(law, { numRuns: propertyRuns() })
  })
})

describe('createRandomBytes', () => {
  it.each([0, 1, 16, 64, 4095, 4096, 4097, 65_536])(
    'returns %i bytes when called with that length',
    (length) => {
      const randomBytes = createRandomBytes()
      expect(randomBytes(length)).toHaveLength(length)
      expect(randomBytes(length)).toHaveLength(length)
    },
  )

  it('returns a new buffer with different bytes each time', () => {
    const randomBytes = createRandomBytes()
    const seen = new Set<string>()
    const drawn: Uint8Array[] = []
    for (let draw = 0; draw < 2000; draw++) {
      const bytes = randomBytes(5 + (draw % 29))
      drawn.push(bytes)
      seen.add(bytes.subarray(0, 5).join())
    }
    const buffers = new Set(drawn.map((bytes) => bytes.buffer))
    expect(buffers.size).toBe(2000)
    // Two of 2,000 draws of 40 bits are equal once in half a million runs. A pool that repeats
    // itself has many equal draws.
    expect(seen.size).toBeGreaterThan(1998)
  })

  it.each([
    ['once for 256 ids', new Array<number>(256).fill(16), 1],
    ['again for one more', new Array<number>(257).fill(16), 2],
    ['again when the rest of the pool is too short', [4095, 2, 4094], 2],
    [
      'once for each draw of 4,096 bytes or more, and keeps the rest of the pool',
      [16, 4096, 5000, 16],
      3,
    ],
  ])('calls crypto.getRandomValues %s', (_what, lengths, calls) => {
    const platform = vi.spyOn(crypto, 'getRandomValues')
    const randomBytes = createRandomBytes()
    for (const length of lengths) expect(randomBytes(length)).toHaveLength(length)
    expect(platform).toHaveBeenCalledTimes(calls)
    platform.mockRestore()
  })

  it('returns uniformly distributed bytes', () => {
    const randomBytes = createRandomBytes()
    const stats = new Array<number>(256).fill(0)
    for (let draw = 0; draw < 16_000; draw++)
      for (const byte of randomBytes(16)) stats[byte] = (stats[byte] ?? 0) + 1
    const chiSquare = stats.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0)
    // 255 degrees of freedom: above 395 once in ten million runs.
    expect(chiSquare).toBeLessThan(395)
  })
})

describe('newUuid', () => {
  it.each([
    ['00'.repeat(16), '00000000-0000-4000-8000-000000000000'],
    ['ff'.repeat(16), 'ffffffff-ffff-4fff-bfff-ffffffffffff'],
    ['0123456789abcdef0123456789abcdef', '01234567-89ab-4def-8123-456789abcdef'],
  ])('encodes the bytes %s as %s', (hex, id) => {
    expect(newUuid(() => Uint8Array.from(Buffer.from(hex, 'hex')))).toBe(id)
  })

  it('throws GenerationError for 15 bytes', () => {
    expect(() => newUuid(() => new Uint8Array(15))).toThrow(GenerationError)
  })
})
