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

const tooStrictRecipe = { characterSets: ['DIGITS'], excludeCharacters: '012345678' }
const defaultValue = /^[A-Za-z0-9!@.\-_*]{32}$/

function entropyOfRecipe(recipe: Recipe): number {
  const spec = passwordSpec(recipe)
  return spec === undefined ? 0 : entropyOf(spec)
}

describe('buildFields', () => {
  describe('field id', () => {
    it('is generated and unique when the draft has no id', () => {
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

  describe('type and label', () => {
    it('uses the type STRING by default', () => {
      expect(builtField({})).toStrictEqual({ id: 'f', type: 'STRING' })
      expect(builtField({ type: 'TOTP' })).toEqual({ id: 'f', type: 'TOTP' })
    })

    it.each([
      ['USERNAME', 'username'],
      ['PASSWORD', 'password'],
      ['NOTES', 'notesPlain'],
    ])('with the purpose %s uses the label %s by default', (purpose, label) => {
      expect(builtField({ purpose })).toEqual({ id: 'f', type: 'STRING', label, purpose })
      expect(builtField({ purpose, label: 'Mine' }).label).toBe('Mine')
      expect(builtField({ purpose, label: '' }).label).toBe('')
    })

    it('adds no label without a purpose', () => {
      expect(builtField({ purpose: '' })).toEqual({ id: 'f', type: 'STRING', purpose: '' })
      expect(builtField({})).not.toHaveProperty('label')
    })
  })

  describe('with `generate: true`', () => {
    it.each([{}, { value: undefined }, { value: null }, { value: '' }])(
      'generates a value for %j',
      (draft) => {
        expect(builtField({ ...draft, generate: true })).toEqual({
          id: 'f',
          type: 'STRING',
          value: expect.stringMatching(defaultValue),
        })
      },
    )

    it('generates a value by its recipe', () => {
      const recipe = {
        characterSets: ['DIGITS', 'SYMBOLS'],
        excludeCharacters: '02468!@',
        length: 9,
      }
      expect(builtField({ generate: true, recipe }).value).toMatch(/^[13579.\-_*]{9}$/)
    })

    it('generates a different value for each field and each call', () => {
      const context = building()
      const fields = [1, 2, 3].map((id) => ({ id: `${id}`, generate: true }))
      const values = [
        built({ fields }, undefined, context),
        built({ fields }, undefined, context),
      ].flatMap((item) => item.fields.map(({ value }) => value))
      expect(new Set(values).size).toBe(6)
    })

    it.each(['x', ' ', '0'])('keeps the value %j', (value) => {
      expect(builtField({ generate: true, value })).toEqual({ id: 'f', type: 'STRING', value })
      expect(builtField({ generate: true, value, recipe: tooStrictRecipe }).value).toBe(value)
    })

    it('removes `generate` and `recipe` from the field', () => {
      const drafts = [{ generate: true }, { generate: false }, { generate: true, value: 'x' }, {}]
      for (const draft of drafts) {
        const field = builtField({ ...draft, recipe: { length: 5 } })
        expect(field).not.toHaveProperty('generate')
        expect(field).not.toHaveProperty('recipe')
      }
    })

    it('rejects a recipe that leaves fewer than two characters', () => {
      expect(issuesOf(() => builtField({ generate: true, recipe: tooStrictRecipe }))).toEqual([
        {
          path: 'fields/0/recipe/excludeCharacters',
          message: 'must leave at least two characters',
        },
      ])
    })

    it.each(['DATE', 'MONTH_YEAR'])(
      'rejects the type %s, because no generated value is a date',
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

  describe('without `generate: true`', () => {
    it.each([{}, { generate: false }])('adds no value: %j', (draft) => {
      expect(builtField({ ...draft, recipe: tooStrictRecipe })).toEqual({ id: 'f', type: 'STRING' })
    })

    it('keeps an empty value', () => {
      expect(builtField({ value: '', generate: false }).value).toBe('')
    })

    it.each([{}, { generate: false }])('rejects null as a value: %j', (draft) => {
      expect(issuesOf(() => builtField({ ...draft, value: null }))).toEqual([
        { path: 'fields/0/value', message: 'must be a string' },
      ])
    })
  })

  describe('entropy', () => {
    it('is the entropy of the recipe for a generated password', () => {
      expect(builtField({ purpose: 'PASSWORD', generate: true }).entropy).toBe(entropyOfRecipe({}))
      const recipe = { characterSets: ['DIGITS'], length: 6 } as const
      expect(builtField({ purpose: 'PASSWORD', generate: true, recipe }).entropy).toBe(
        entropyOfRecipe(recipe),
      )
    })

    it.each(['', 'USERNAME', 'NOTES', undefined])(
      'is absent for a generated value of purpose %s',
      (purpose) => {
        expect(builtField({ purpose, generate: true })).not.toHaveProperty('entropy')
      },
    )

    it('is neither read from a body nor computed for a value of the client', () => {
      const draft = { purpose: 'PASSWORD', value: 'correct horse', entropy: 500 }
      expect(builtField(draft)).not.toHaveProperty('entropy')
      expect(builtField({ ...draft, generate: true })).not.toHaveProperty('entropy')
      expect(builtField({ ...draft, value: undefined, generate: true }).entropy).toBe(
        entropyOfRecipe({}),
      )
    })

    const before = storedItem({
      fields: [
        storedField({ id: 'other', value: 'same', entropy: 7 }),
        storedField({ id: 'f', purpose: 'PASSWORD', value: 'same', entropy: 42 }),
      ],
    })

    it('is kept when the password is unchanged, whatever else changes', () => {
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
    ])('is removed with %s', (_case, draft) => {
      expect(builtField(draft, before)).not.toHaveProperty('entropy')
    })

    it('is computed again for a new generated value', () => {
      expect(
        builtField({ purpose: 'PASSWORD', generate: true, recipe: { length: 8 } }, before).entropy,
      ).toBe(entropyOfRecipe({ length: 8 }))
    })

    it('stays absent when the stored value had no entropy', () => {
      const withoutEntropy = storedItem({
        fields: [storedField({ id: 'f', purpose: 'PASSWORD', value: 'same' })],
      })
      expect(builtField({ purpose: 'PASSWORD', value: 'same' }, withoutEntropy)).not.toHaveProperty(
        'entropy',
      )
    })
  })
})
