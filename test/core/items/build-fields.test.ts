import { describe, expect, it } from 'vitest'
import { buildItem } from '../../../src/core/items/build-item.js'
import { entropyOf, passwordSpec } from '../../../src/core/items/generate-value.js'
import type { Recipe } from '../../../src/schema/field.js'
import {
  building,
  built,
  builtField,
  issuesOf,
  storedField,
  storedItem,
  vaultId,
} from '../../support/items/item-builders.js'

const nothingLeft = { characterSets: ['DIGITS'], excludeCharacters: '012345678' }
const fullRecipe = /^[A-Za-z0-9!@.\-_*]{32}$/

function bitsOf(recipe: Recipe): number {
  const space = passwordSpec(recipe)
  return space === undefined ? 0 : entropyOf(space)
}

describe('the id of a field', () => {
  it('is made where the dialect has read none, and unlike every other', () => {
    const draft = {
      category: 'LOGIN',
      vault: { id: vaultId },
      fields: [{}, { id: 'f' }, {}],
    } as const
    const { fields } = buildItem(building(), draft, storedItem())
    const ids = fields.map(({ id }) => id)
    expect(ids).toEqual([expect.stringMatching(/^[a-z2-7]{26}$/), 'f', expect.anything()])
    expect(ids[2]).toMatch(/^[a-z2-7]{26}$/)
    expect(new Set(ids).size).toBe(3)
  })
})

describe('the type and label of a field', () => {
  it('is of the type STRING unless it says otherwise', () => {
    expect(builtField({})).toStrictEqual({ id: 'f', type: 'STRING' })
    expect(builtField({ type: 'TOTP' })).toEqual({ id: 'f', type: 'TOTP' })
  })

  it.each([
    ['USERNAME', 'username'],
    ['PASSWORD', 'password'],
    ['NOTES', 'notesPlain'],
  ])('with the purpose %s and no label gets the label %s', (purpose, label) => {
    expect(builtField({ purpose })).toEqual({ id: 'f', type: 'STRING', label, purpose })
    expect(builtField({ purpose, label: 'Mine' }).label).toBe('Mine')
    expect(builtField({ purpose, label: '' }).label).toBe('')
  })

  it('gets no label without a purpose', () => {
    expect(builtField({ purpose: '' })).toEqual({ id: 'f', type: 'STRING', purpose: '' })
    expect(builtField({})).not.toHaveProperty('label')
  })
})

describe('a field that asks for a value', () => {
  it.each([{}, { value: undefined }, { value: null }, { value: '' }])(
    'gets one where it has %j',
    (draft) => {
      expect(builtField({ ...draft, generate: true })).toEqual({
        id: 'f',
        type: 'STRING',
        value: expect.stringMatching(fullRecipe),
      })
    },
  )

  it('gets one after its recipe', () => {
    const recipe = { characterSets: ['DIGITS', 'SYMBOLS'], excludeCharacters: '02468!@', length: 9 }
    expect(builtField({ generate: true, recipe }).value).toMatch(/^[13579.\-_*]{9}$/)
  })

  it('gets one that differs from the next field’s and from the next time’s', () => {
    const context = building()
    const fields = [1, 2, 3].map((id) => ({ id: `${id}`, generate: true }))
    const values = [
      built({ fields }, undefined, context),
      built({ fields }, undefined, context),
    ].flatMap((item) => item.fields.map(({ value }) => value))
    expect(new Set(values).size).toBe(6)
  })

  it.each(['x', ' ', '0'])('keeps the value %j that it has', (value) => {
    expect(builtField({ generate: true, value })).toEqual({ id: 'f', type: 'STRING', value })
    expect(builtField({ generate: true, value, recipe: nothingLeft }).value).toBe(value)
  })

  it('never holds generate or recipe afterwards', () => {
    const drafts = [{ generate: true }, { generate: false }, { generate: true, value: 'x' }, {}]
    for (const draft of drafts) {
      const field = builtField({ ...draft, recipe: { length: 5 } })
      expect(field).not.toHaveProperty('generate')
      expect(field).not.toHaveProperty('recipe')
    }
  })

  it('is refused when its recipe leaves fewer than two characters', () => {
    expect(issuesOf(() => builtField({ generate: true, recipe: nothingLeft }))).toEqual([
      { path: 'fields/0/recipe/excludeCharacters', message: 'must leave at least two characters' },
    ])
  })

  it.each(['DATE', 'MONTH_YEAR'])(
    'is refused on the type %s: no generated value is a date',
    (type) => {
      for (const value of [undefined, null, '']) {
        expect(issuesOf(() => builtField({ type, value, generate: true }))).toEqual([
          { path: 'fields/0/generate', message: 'must not be true for a date' },
        ])
      }
      expect(builtField({ type, value: '202002', generate: true }).value).toBe('202002')
    },
  )
})

describe('a field that asks for no value', () => {
  it.each([{}, { generate: false }])('has none if it brings none: %j', (draft) => {
    expect(builtField({ ...draft, recipe: nothingLeft })).toEqual({ id: 'f', type: 'STRING' })
  })

  it('has an empty one if it brings an empty one', () => {
    expect(builtField({ value: '', generate: false }).value).toBe('')
  })

  it.each([{}, { generate: false }])('may not bring null: %j', (draft) => {
    expect(issuesOf(() => builtField({ ...draft, value: null }))).toEqual([
      { path: 'fields/0/value', message: 'must be a string' },
    ])
  })
})

describe('the entropy of a field', () => {
  it('is that of the recipe for a generated password', () => {
    expect(builtField({ purpose: 'PASSWORD', generate: true }).entropy).toBe(bitsOf({}))
    const recipe = { characterSets: ['DIGITS'], length: 6 } as const
    expect(builtField({ purpose: 'PASSWORD', generate: true, recipe }).entropy).toBe(bitsOf(recipe))
  })

  it.each(['', 'USERNAME', 'NOTES', undefined])(
    'is not kept for a generated value of purpose %s',
    (purpose) => {
      expect(builtField({ purpose, generate: true })).not.toHaveProperty('entropy')
    },
  )

  it('is not taken from a body, nor made for a value that the client brings', () => {
    const draft = { purpose: 'PASSWORD', value: 'correct horse', entropy: 500 }
    expect(builtField(draft)).not.toHaveProperty('entropy')
    expect(builtField({ ...draft, generate: true })).not.toHaveProperty('entropy')
    expect(builtField({ ...draft, value: undefined, generate: true }).entropy).toBe(bitsOf({}))
  })

  const before = storedItem({
    fields: [
      storedField({ id: 'other', value: 'same', entropy: 7 }),
      storedField({ id: 'f', purpose: 'PASSWORD', value: 'same', entropy: 42 }),
    ],
  })

  it('stays as long as the password does, whatever else changes', () => {
    const draft = {
      purpose: 'PASSWORD',
      value: 'same',
      label: 'New',
      type: 'CONCEALED',
      entropy: 1,
    }
    expect(builtField(draft, before).entropy).toBe(42)
    expect(builtField({ ...draft, generate: true }, before).entropy).toBe(42)
  })

  it.each([
    ['another value', { purpose: 'PASSWORD', value: 'Same' }],
    ['an empty value', { purpose: 'PASSWORD', value: '' }],
    ['no value', { purpose: 'PASSWORD' }],
    ['another purpose', { purpose: 'NOTES', value: 'same' }],
    ['no purpose', { value: 'same' }],
    ['another id', { id: 'g', purpose: 'PASSWORD', value: 'same' }],
  ])('is dropped with %s', (_what, draft) => {
    expect(builtField(draft, before)).not.toHaveProperty('entropy')
  })

  it('is made anew with a new generated value', () => {
    expect(
      builtField({ purpose: 'PASSWORD', generate: true, recipe: { length: 8 } }, before).entropy,
    ).toBe(bitsOf({ length: 8 }))
  })

  it('stays absent where the stored value had none', () => {
    const supplied = storedItem({
      fields: [storedField({ id: 'f', purpose: 'PASSWORD', value: 'same' })],
    })
    expect(builtField({ purpose: 'PASSWORD', value: 'same' }, supplied)).not.toHaveProperty(
      'entropy',
    )
  })
})
