import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileIdSchema, idSchema, isFileId, isId } from '../../src/schema/ids.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'

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
const neither = [
  ['nothing', ''],
  ['25 characters', 'a'.repeat(25)],
  ['27 characters', 'a'.repeat(27)],
  ['a capital', `A${'a'.repeat(25)}`],
  ['a dash', `-${'a'.repeat(25)}`],
  ['an underscore', `_${'a'.repeat(25)}`],
  ['a blank before it', ` ${'a'.repeat(26)}`],
  ['a line end after it', `${'a'.repeat(26)}\n`],
  ['a line before it', `x\n${'a'.repeat(26)}`],
  ['a letter with an accent', `é${'a'.repeat(25)}`],
  ['digits of another script', '٣'.repeat(26)],
  ['a UUID without dashes', 'f81d4fae7dec11d0a76500a0c91e6bf6'],
  ['a UUID in braces', '{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}'],
  ['a UUID with a letter that is no digit', 'g81d4fae-7dec-11d0-a765-00a0c91e6bf6'],
  ['a UUID with a digit too many', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf60'],
  ['a UUID with a digit before it', '0f81d4fae-7dec-11d0-a765-00a0c91e6bf6'],
  ['a UUID with a line end after it', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6\n'],
] as const
const noStrings = [[undefined], [null], [26], [{}], [['a'.repeat(26)]], [true]] as const

describe('isId', () => {
  it.each(ids)('takes %s for the id of a vault or an item', (id) => {
    expect(isId(id)).toBe(true)
    expect(idSchema.safeParse(id).success).toBe(true)
  })

  it.each(neither)('takes no id with %s', (_what, id) => {
    expect(isId(id)).toBe(false)
    expect(idSchema.safeParse(id).success).toBe(false)
  })

  it.each(uuids)('takes no UUID %s: only files have those', (id) => {
    expect(isId(id)).toBe(false)
    expect(idSchema.safeParse(id).success).toBe(false)
  })

  it.each(noStrings)('takes nothing but strings, so not %j', (value) => {
    expect(isId(value)).toBe(false)
  })

  it('means what the contract says with its regular expression', () => {
    const text = fc.stringMatching(/^[\da-zA-Z\n_-]{25,27}$/)
    const law = fc.property(text, (id) => isId(id) === /^[\da-z]{26}$/.test(id))
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
  })
})

describe('isFileId', () => {
  it.each([...ids, ...uuids])('takes %s for the id of a file', (id) => {
    expect(isFileId(id)).toBe(true)
    expect(fileIdSchema.safeParse(id).success).toBe(true)
  })

  it.each(neither)('takes no id with %s', (_what, id) => {
    expect(isFileId(id)).toBe(false)
    expect(fileIdSchema.safeParse(id).success).toBe(false)
  })

  it.each(noStrings)('takes nothing but strings, so not %j', (value) => {
    expect(isFileId(value)).toBe(false)
  })

  it('takes every UUID', () => {
    const law = fc.property(fc.uuid(), (id) => isFileId(id) && !isId(id))
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
  })
})
