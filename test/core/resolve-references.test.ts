import { describe, expect, it } from 'vitest'
import { missingField, resolveReferences } from '../../src/core/resolve-references.js'
import { InvalidInputError } from '../../src/errors.js'

const pin = { id: 'pin', type: 'STRING', value: '1234' }

describe('resolveReferences', () => {
  it('puts the stored field in the place of nothing but its id', () => {
    const other = { id: 'new', type: 'URL' }
    expect(resolveReferences([other, { id: 'pin' }], [pin])).toEqual([other, pin])
  })

  it('takes a reference for one whichever section it names', () => {
    expect(resolveReferences([{ id: 'pin', section: { id: 'x' } }], [pin])).toEqual([pin])
  })

  it('does not count attributes that are undefined, or that fields do not have', () => {
    const draft = { id: 'pin', label: undefined, entropy: 3, colour: 'red' }
    expect(resolveReferences([draft], [pin])).toEqual([pin])
  })

  it.each([
    ['type', 'STRING'],
    ['label', ''],
    ['value', ''],
    ['value', null],
    ['purpose', ''],
    ['generate', false],
    ['recipe', {}],
  ])('takes a field with %s (%j) for a definition', (name, attribute) => {
    const draft = { id: 'pin', [name]: attribute }
    expect(resolveReferences([draft], [pin])).toEqual([draft])
    expect(resolveReferences([draft], [])).toEqual([draft])
  })

  it('finds the first field of an id', () => {
    expect(resolveReferences([{ id: 'pin' }], [pin, { ...pin, value: 'second' }])).toEqual([pin])
  })

  it('names the field that is missing, and its place', () => {
    const run = () => resolveReferences([{ id: 'pin' }, { id: 'lost' }], [pin])
    expect(run).toThrow(InvalidInputError)
    const message = "The item doesn't have a lost field."
    expect(run).toThrow(
      expect.objectContaining({ message, issues: [{ path: 'fields/1', message }] }),
    )
  })

  it.each([[null], [undefined], [5], ['pin'], [[]], [{}], [{ id: 5 }], [{ id: null }]])(
    'leaves %j for the schema to refuse',
    (draft) => {
      expect(resolveReferences([draft], [pin, 5, null, { id: 5 }])).toEqual([draft])
    },
  )
})

describe('missingField', () => {
  it.each(['pin', 'a.b c:d@e-f_9', 'x'.repeat(64)])('names %s', (id) => {
    expect(missingField(id)).toBe(`The item doesn't have a ${id} field.`)
  })

  it.each([
    ['nothing', ''],
    ['what is too long', 'x'.repeat(65)],
    ['a line break', 'a\nb'],
    ['markup', '<b>'],
    ['a quote', 'a"'],
    ['letters beyond ASCII', 'é'],
  ])('does not repeat %s', (_, id) => {
    expect(missingField(id)).toBe("The item doesn't have that field.")
  })
})
