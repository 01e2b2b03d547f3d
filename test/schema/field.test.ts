import { describe, expect, it } from 'vitest'
import { fieldDraftSchema, fieldSchema, fieldTypes, recipeSchema } from '../../src/schema/field.js'
import { parse } from '../../src/schema/parse.js'
import { toJsonSchema } from '../support/http/json-schema.js'
import { captureIssues } from '../support/items/item-builders.js'

const purposes = ['', 'USERNAME', 'PASSWORD', 'NOTES']
const sets = ['LETTERS', 'DIGITS', 'SYMBOLS']
const section = { type: 'object', properties: { id: { type: 'string' } } }

// Rows that the contract (2.5-1 to 2.5.1-4) has are left out.
function isAccepted(changes: object): boolean {
  return fieldDraftSchema.safeParse({ id: 'pin', ...changes }).success
}

describe('fieldDraftSchema', () => {
  it('has the JSON Schema of the contract', () => {
    expect(toJsonSchema(fieldDraftSchema, 'input')).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string' },
        type: { type: 'string', enum: fieldTypes, default: 'STRING' },
        label: { type: 'string' },
        value: { type: ['string', 'null'] },
        purpose: { type: 'string', enum: purposes },
        section,
        generate: { type: 'boolean' },
        recipe: toJsonSchema(recipeSchema, 'input'),
        entropy: { type: 'number' },
      },
      required: ['id'],
      if: { properties: { value: { type: 'null' } }, required: ['value'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { properties: { generate: { const: true } }, required: ['generate'] },
    })
  })

  it.each([{ id: '' }, { id: '/~ any "string" at all' }, { value: null }, { entropy: -1.5 }])(
    'accepts a field with %j',
    (changes) => {
      expect(isAccepted(changes)).toBe(true)
    },
  )

  it.each([{ type: 'toString' }, { purpose: ' ' }, { purpose: 'NONE' }, { recipe: [] }])(
    'rejects a field with %j',
    (changes) => {
      expect(isAccepted(changes)).toBe(false)
    },
  )

  it('lists all types when it rejects one', () => {
    const message = `must be one of ${fieldTypes.map((name) => `"${name}"`).join(', ')}`
    expect(captureIssues(() => parse(fieldDraftSchema, { id: 'pin', type: 'OTP' }))).toEqual([
      { path: 'type', message },
    ])
  })
})

describe('recipeSchema', () => {
  it('has the JSON Schema of the contract', () => {
    expect(toJsonSchema(recipeSchema, 'input')).toEqual({
      type: 'object',
      properties: {
        characterSets: {
          type: 'array',
          items: { type: 'string', enum: sets },
          maxItems: 3,
          uniqueItems: true,
        },
        excludeCharacters: { type: 'string' },
        length: { type: 'integer', minimum: 1, maximum: 64, default: 32 },
      },
    })
  })

  it.each([
    {},
    { characterSets: [] },
    { characterSets: ['SYMBOLS', 'DIGITS', 'LETTERS'] },
    { excludeCharacters: '' },
    { excludeCharacters: 'aab' },
    { length: 32.0 },
  ])('accepts %j', (recipe) => {
    expect(recipeSchema.parse(recipe)).toEqual(recipe)
  })

  it.each([
    { characterSets: ['LETTERS', 'DIGITS', 'SYMBOLS', 'EMOJI'] },
    { length: Number.NaN },
    { length: Number.POSITIVE_INFINITY },
    { length: 2 ** 53 },
  ])('rejects %j', (recipe) => {
    expect(recipeSchema.safeParse(recipe).success).toBe(false)
  })
})

describe('fieldSchema', () => {
  it('has neither generate nor recipe', () => {
    expect(toJsonSchema(fieldSchema, 'output')).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string' },
        type: { type: 'string', pattern: '^[A-Z][A-Z0-9_]{0,63}$' },
        label: { type: 'string' },
        value: { type: 'string' },
        purpose: { type: 'string', enum: purposes },
        section: { ...section, additionalProperties: false },
        entropy: { type: 'number' },
      },
      required: ['id', 'type'],
      additionalProperties: false,
    })
  })

  it.each(['STRING', 'OTP', 'CREDIT_CARD_NUMBER', 'A', `A${'9'.repeat(63)}`])(
    'accepts the type %s',
    (type) => {
      expect(fieldSchema.safeParse({ id: 'pin', type }).success).toBe(true)
    },
  )

  it.each(['', 'otp', '1PASSWORD', '_', 'O TP', 'OTP\n', `A${'9'.repeat(64)}`, 1, null])(
    'rejects the type %j',
    (type) => {
      expect(fieldSchema.safeParse({ id: 'pin', type }).success).toBe(false)
    },
  )

  it.each(['label', 'value', 'purpose', 'section', 'entropy'])(
    'accepts a missing %s and rejects undefined and null',
    (name) => {
      const field = { id: 'pin', type: 'STRING' }
      expect(fieldSchema.safeParse(field).success).toBe(true)
      expect(fieldSchema.safeParse({ ...field, [name]: undefined }).success).toBe(false)
      expect(fieldSchema.safeParse({ ...field, [name]: null }).success).toBe(false)
    },
  )
})
