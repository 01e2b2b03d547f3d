import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileIdSchema, idSchema, isFileId } from '../../src/schema/ids.js'
import { isId } from '../../src/schema/is-id.js'
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
const nonStrings = [undefined, null, 26, {}, ['a'.repeat(26)], true].map(
  (value) => [`${JSON.stringify(value)}, which is not a string`, value] as const,
)

describe('isId and isFileId', () => {
  it.each(ids)('accept %s', (id) => {
    expect(accepts(id)).toEqual({ id: true, fileId: true })
  })

  it.each(uuids)('accept the UUID %s only for files', (id) => {
    expect(accepts(id)).toEqual({ id: false, fileId: true })
  })

  it.each([...invalidIds, ...nonStrings])('reject %s', (_what, id) => {
    expect(accepts(id)).toEqual({ id: false, fileId: false })
  })

  it('agree with the regular expression of the contract', () => {
    const text = fc.stringMatching(/^[\da-zA-Z\n_-]{25,27}$/)
    const law = fc.property(text, (id) => isId(id) === /^[\da-z]{26}$/.test(id))
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
  })

  it('accept every UUID only for files', () => {
    const law = fc.property(fc.uuid(), (id) => isFileId(id) && !isId(id))
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
  })
})

/** Whether the functions accept the id, and whether the schemas agree. */
function accepts(id: unknown): { readonly id: boolean; readonly fileId: boolean } {
  const accepted = { id: isId(id), fileId: isFileId(id) }
  expect({
    id: idSchema.safeParse(id).success,
    fileId: fileIdSchema.safeParse(id).success,
  }).toEqual(accepted)
  return accepted
}
