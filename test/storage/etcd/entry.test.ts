import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEntry, formatEntry, parseEntry } from '../../../src/storage/etcd/entry.js'

describe('createEntry', () => {
  it.each([
    [0, undefined],
    [1024, undefined],
    [1025, 1280],
    [1280, 1280],
    [1281, 1536],
    [2048, 2048],
    [2049, 2560],
    [1_000_000, 1_048_576],
    [1_048_577, 1_310_720],
  ])('returns the bound of %i bytes', (bytes, sizeBound) => {
    expect(createEntry(bytes, undefined)).toEqual(
      sizeBound === undefined ? undefined : { sizeBound, indexKey: undefined },
    )
  })

  it('returns a bound of at least the size, and at most a quarter more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1025, max: 2 ** 27 }), (bytes) => {
        const bound = createEntry(bytes, undefined)?.sizeBound ?? 0
        return bound >= bytes && bound <= bytes * 1.25
      }),
    )
  })

  it('returns an entry for an empty index key', () => {
    expect(createEntry(0, '')).toEqual({ sizeBound: 1024, indexKey: '' })
  })
})

describe('parseEntry', () => {
  it('reads what formatEntry returns', () => {
    const indexKeys = fc.option(fc.string({ unit: 'binary' }), { nil: undefined })
    fc.assert(
      fc.property(fc.nat(2 ** 27), indexKeys, (bytes, indexKey) => {
        const entry = createEntry(bytes, indexKey)
        if (entry !== undefined) expect(parseEntry(formatEntry(entry))).toEqual(entry)
      }),
    )
  })
})
