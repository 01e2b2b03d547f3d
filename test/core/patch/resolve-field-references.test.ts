import { describe, expect, it } from 'vitest'
import {
  missingFieldMessage,
  resolveFieldReferences,
} from '../../../src/core/patch/resolve-field-references.js'
import { InvalidInputError } from '../../../src/errors.js'

const pin = { id: 'pin', type: 'STRING', value: '1234' }

/** What a stored field or a patched one may be. */
interface Known {
  readonly id: unknown
  readonly section?: unknown
  readonly value?: unknown
}

function among(...fields: Known[]) {
  return { fields, sections: [] }
}

describe('resolveReferences', () => {
  it('puts the stored field in the place of nothing but its id', () => {
    const other = { id: 'new', type: 'URL' }
    expect(resolveFieldReferences([other, { id: 'pin' }], among(pin))).toEqual([other, pin])
  })

  it('moves the field to the section that comes with the reference, for the schema to check', () => {
    const moved = { ...pin, section: { id: 'x' } }
    expect(resolveFieldReferences([{ id: 'pin', section: { id: 'x' } }], among(pin))).toEqual([
      moved,
    ])
    expect(resolveFieldReferences([{ id: 'pin', section: 5 }], among(pin))).toEqual([
      { ...pin, section: 5 },
    ])
  })

  it('keeps the section of the field, unless the item no longer has it', () => {
    const placed = { ...pin, section: { id: 's' } }
    const refer = (sections: readonly unknown[]) =>
      resolveFieldReferences([{ id: 'pin' }], { fields: [placed], sections })
    expect(refer([null, 5, { id: 's' }])).toEqual([placed])
    expect(refer([{ id: 'other' }, {}])).toEqual([pin])
    expect(refer([])).toEqual([pin])
  })

  it('does not count attributes that are undefined, or that fields do not have', () => {
    const draft = { id: 'pin', label: undefined, colour: 'red' }
    expect(resolveFieldReferences([draft], among(pin))).toEqual([pin])
  })

  it('hands an entropy on, for the schema to check, wherever the field is put', () => {
    const placed = { ...pin, section: { id: 's' } }
    const refer = (draft: object) =>
      resolveFieldReferences([{ id: 'pin', ...draft }], among(placed))
    expect(refer({ entropy: 3 })).toEqual([{ ...pin, entropy: 3 }])
    expect(refer({ entropy: 'x', section: { id: 't' } })).toEqual([
      { ...pin, entropy: 'x', section: { id: 't' } },
    ])
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
    expect(resolveFieldReferences([draft], among(pin))).toEqual([draft])
    expect(resolveFieldReferences([draft], among())).toEqual([draft])
  })

  it('finds the first field of an id', () => {
    expect(
      resolveFieldReferences([{ id: 'pin' }], among(pin, { ...pin, value: 'second' })),
    ).toEqual([pin])
  })

  it('names the field that is missing, and its place', () => {
    const run = () => resolveFieldReferences([{ id: 'pin' }, { id: 'lost' }], among(pin))
    expect(run).toThrow(InvalidInputError)
    const message = "The item doesn't have a lost field."
    expect(run).toThrow(
      expect.objectContaining({ message, issues: [{ path: 'fields/1', message }] }),
    )
  })

  it.each([[null], [undefined], [5], ['pin'], [[]], [{}], [{ id: 5 }], [{ id: null }]])(
    'leaves %j for the schema to refuse',
    (draft) => {
      expect(resolveFieldReferences([draft], among(pin, { id: 5 }))).toEqual([draft])
    },
  )
})

describe('missingField', () => {
  it.each(['pin', 'a.b c:d@e-f_9', 'x'.repeat(64)])('names %s', (id) => {
    expect(missingFieldMessage(id)).toBe(`The item doesn't have a ${id} field.`)
  })

  it.each([
    ['nothing', ''],
    ['what is too long', 'x'.repeat(65)],
    ['a line break', 'a\nb'],
    ['markup', '<b>'],
    ['a quote', 'a"'],
    ['letters beyond ASCII', 'é'],
  ])('does not repeat %s', (_, id) => {
    expect(missingFieldMessage(id)).toBe("The item doesn't have that field.")
  })
})
