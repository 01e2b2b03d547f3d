import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileIdSchema, idSchema, isFileId, isId } from '../../src/schema/ids.js'

const ids = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789012345',
  'a'.repeat(26),
  '7'.repeat(26),
]
const uuids = [
  '00000000-0000-0000-0000-000000000000',
  'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
  'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
]
const invalidIds = [
  ['no characters', ''],
  ['25 characters', 'a'.repeat(25)],
  ['27 characters', 'a'.repeat(27)],
  ['a capital', `A${'a'.repeat(25)}`],
  ['a dash', `-${'a'.repeat(25)}`],
  ['an underscore', `_${'a'.repeat(25)}`],
  ['a leading blank', ` ${'a'.repeat(26)}`],
  ['a trailing line break', `${'a'.repeat(26)}\n`],
  ['a preceding line', `x\n${'a'.repeat(26)}`],
  ['a letter with an accent', `é${'a'.repeat(25)}`],
  ['digits of another script', '٣'.repeat(26)],
  ['a UUID without dashes', 'f81d4fae7dec11d0a76500a0c91e6bf6'],
  ['a UUID in braces', '{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}'],
  ['a UUID with a letter that is not a hexadecimal digit', 'g81d4fae-7dec-11d0-a765-00a0c91e6bf6'],
  ['a UUID with a digit too many', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf60'],
  ['a UUID with a digit before it', '0f81d4fae-7dec-11d0-a765-00a0c91e6bf6'],
  ['a UUID with a trailing line break', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6\n'],
] as const
const nonStrings = [[undefined], [null], [26], [{}], [['a'.repeat(26)]], [true]] as const

describe('isId', () => {
  it.each(ids)('accepts %s', (id) => {
    expect(isId(id)).toBe(true)
    expect(idSchema.safeParse(id).success).toBe(true)
  })

  it.each(invalidIds)('rejects an id with %s', (_what, id) => {
    expect(isId(id)).toBe(false)
    expect(idSchema.safeParse(id).success).toBe(false)
  })

  it.each(uuids)('rejects the UUID %s, which only files have', (id) => {
    expect(isId(id)).toBe(false)
    expect(idSchema.safeParse(id).success).toBe(false)
  })

  it.each(nonStrings)('rejects %j, which is not a string', (value) => {
    expect(isId(value)).toBe(false)
  })

  it('agrees with the regular expression of the contract', () => {
    const text = fc.stringMatching(/^[\da-zA-Z\n_-]{25,27}$/)
    const law = fc.property(text, (id) => isId(id) === /^[\da-z]{26}$/.test(id))
    expect(() => fc.assert(law, { numRuns: 10_000 })).not.toThrow()
  })
})

describe('isFileId', () => {
  it.each([...ids, ...uuids])('accepts %s', (id) => {
    expect(isFileId(id)).toBe(true)
    expect(fileIdSchema.safeParse(id).success).toBe(true)
  })

  it.each(invalidIds)('rejects an id with %s', (_what, id) => {
    expect(isFileId(id)).toBe(false)
    expect(fileIdSchema.safeParse(id).success).toBe(false)
  })

  it.each(nonStrings)('rejects %j, which is not a string', (value) => {
    expect(isFileId(value)).toBe(false)
  })

  it('accepts every UUID', () => {
    const law = fc.property(fc.uuid(), (id) => isFileId(id) && !isId(id))
    expect(() => fc.assert(law, { numRuns: 10_000 })).not.toThrow()
  })
})
