import { describe, expect, it } from 'vitest'
import {
  missingFieldMessage,
  resolveFieldReferences,
} from '../../../src/core/patch/resolve-field-references.js'
import { InvalidInputError } from '../../../src/errors.js'

const pin = { id: 'pin', type: 'STRING', value: '1234' }

/** A field that a reference can name, stored or patched. */
interface KnownField {
  readonly id: unknown
  readonly section?: unknown
  readonly value?: unknown
}

function scopeOf(...fields: KnownField[]) {
  return { fields, sections: [] }
}

describe('resolveFieldReferences', () => {
  it('replaces a bare id by the stored field', () => {
    const other = { id: 'new', type: 'URL' }
    expect(resolveFieldReferences([other, { id: 'pin' }], scopeOf(pin))).toEqual([other, pin])
  })

  it('uses the section of the reference, which the schema validates later', () => {
    const moved = { ...pin, section: { id: 'x' } }
    expect(resolveFieldReferences([{ id: 'pin', section: { id: 'x' } }], scopeOf(pin))).toEqual([
      moved,
    ])
    expect(resolveFieldReferences([{ id: 'pin', section: 5 }], scopeOf(pin))).toEqual([
      { ...pin, section: 5 },
    ])
  })

  it('keeps the section of the field unless the item no longer has it', () => {
    const inSection = { ...pin, section: { id: 's' } }
    const refer = (sections: readonly unknown[]) =>
      resolveFieldReferences([{ id: 'pin' }], { fields: [inSection], sections })
    expect(refer([null, 5, { id: 's' }])).toEqual([inSection])
    expect(refer([{ id: 'other' }, {}])).toEqual([pin])
    expect(refer([])).toEqual([pin])
  })

  it('ignores attributes that are undefined or unknown, and a generate that is false', () => {
    const draft = { id: 'pin', label: undefined, generate: false, colour: 'red' }
    expect(resolveFieldReferences([draft], scopeOf(pin))).toEqual([pin])
  })

  it('copies an entropy of the reference, which the schema validates later', () => {
    const inSection = { ...pin, section: { id: 's' } }
    const refer = (draft: object) =>
      resolveFieldReferences([{ id: 'pin', ...draft }], scopeOf(inSection))
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
    ['generate', true],
    ['recipe', {}],
  ])('treats a field with %s (%j) as a definition', (name, attribute) => {
    const draft = { id: 'pin', [name]: attribute }
    expect(resolveFieldReferences([draft], scopeOf(pin))).toEqual([draft])
    expect(resolveFieldReferences([draft], scopeOf())).toEqual([draft])
  })

  it('uses the first field with the id', () => {
    expect(
      resolveFieldReferences([{ id: 'pin' }], scopeOf(pin, { ...pin, value: 'second' })),
    ).toEqual([pin])
  })

  it('throws InvalidInputError with the missing field and its path', () => {
    const run = () => resolveFieldReferences([{ id: 'pin' }, { id: 'lost' }], scopeOf(pin))
    expect(run).toThrow(InvalidInputError)
    const message = "The item doesn't have a lost field."
    expect(run).toThrow(
      expect.objectContaining({ message, issues: [{ path: 'fields/1', message }] }),
    )
  })

  it.each([[null], [undefined], [5], ['pin'], [[]], [{}], [{ id: 5 }], [{ id: null }]])(
    'returns %j unchanged, which the schema rejects later',
    (draft) => {
      expect(resolveFieldReferences([draft], scopeOf(pin, { id: 5 }))).toEqual([draft])
    },
  )
})

describe('missingFieldMessage', () => {
  it.each(['pin', 'a.b c:d@e-f_9', 'x'.repeat(64)])('contains %s', (id) => {
    expect(missingFieldMessage(id)).toBe(`The item doesn't have a ${id} field.`)
  })

  it.each([
    ['an empty id', ''],
    ['an id that is too long', 'x'.repeat(65)],
    ['a line break', 'a\nb'],
    ['markup', '<b>'],
    ['a quote', 'a"'],
    ['a non-ASCII letter', 'é'],
  ])('does not contain %s', (_, id) => {
    expect(missingFieldMessage(id)).toBe("The item doesn't have that field.")
  })
})
