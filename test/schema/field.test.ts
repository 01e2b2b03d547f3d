import { describe, expect, it } from 'vitest'
import { fieldDraftSchema, fieldSchema, recipeSchema } from '../../src/schema/field.js'
import { parse } from '../../src/schema/parse.js'
import { toJsonSchema } from '../support/http/json-schema.js'
import { captureIssues } from '../support/items/item-builders.js'

const types = ['STRING', 'EMAIL', 'CONCEALED', 'URL', 'TOTP', 'DATE', 'MONTH_YEAR', 'MENU']
const purposes = ['', 'USERNAME', 'PASSWORD', 'NOTES']
const sets = ['LETTERS', 'DIGITS', 'SYMBOLS']
const section = { type: 'object', properties: { id: { type: 'string' } } }

function isAccepted(changes: object): boolean {
  return fieldDraftSchema.safeParse({ id: 'pin', ...changes }).success
}

describe('fieldDraftSchema', () => {
  it('has the JSON Schema of the contract', () => {
    expect(toJsonSchema(fieldDraftSchema, 'input')).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string' },
        type: { type: 'string', enum: types, default: 'STRING' },
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

  it.each([
    ...types.map((type) => ({ type })),
    ...purposes.map((purpose) => ({ purpose })),
    { id: '' },
    { id: '/~ any "string" at all' },
    { label: '' },
    { value: '' },
    { value: null },
    { section: {} },
    { section: { id: 'more' } },
    { generate: false },
    { entropy: 0 },
    { entropy: -1.5 },
  ])('accepts a field with %j', (changes) => {
    expect(isAccepted(changes)).toBe(true)
  })

  it.each([
    ...['', 'string', 'OTP', 'toString', null, 1].map((type) => ({ type })),
    ...[' ', 'username', 'NONE', null, 0].map((purpose) => ({ purpose })),
    { id: undefined },
    { id: null },
    { id: 1 },
    { entropy: 'high' },
    { entropy: null },
    { label: null },
    { value: 1 },
    { value: {} },
    { section: null },
    { section: 'more' },
    { section: { id: null } },
    { generate: 'true' },
    { generate: null },
    { recipe: null },
    { recipe: [] },
  ])('rejects a field with %j', (changes) => {
    expect(isAccepted(changes)).toBe(false)
  })

  it.each(['', 'string', 'OTP', 'toString'])('rejects the type %j and lists all types', (type) => {
    expect(captureIssues(() => parse(fieldDraftSchema, { id: 'pin', type }))).toEqual([
      {
        path: 'type',
        message: `must be one of ${types.map((name) => `"${name}"`).join(', ')}`,
      },
    ])
  })

  it.each([null, 'pin', [['pin']], undefined])('rejects %j', (value) => {
    expect(fieldDraftSchema.safeParse(value).success).toBe(false)
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
    { characterSets: ['DIGITS'] },
    { characterSets: ['SYMBOLS', 'DIGITS', 'LETTERS'] },
    { excludeCharacters: '' },
    { excludeCharacters: 'aab' },
    { length: 1 },
    { length: 64 },
    { length: 32.0 },
  ])('accepts %j', (recipe) => {
    expect(recipeSchema.parse(recipe)).toEqual(recipe)
  })

  it.each([
    { characterSets: ['DIGITS', 'DIGITS'] },
    { characterSets: ['LETTERS', 'DIGITS', 'SYMBOLS', 'LETTERS'] },
    { characterSets: ['LETTERS', 'DIGITS', 'SYMBOLS', 'EMOJI'] },
    { characterSets: ['EMOJI'] },
    { characterSets: ['digits'] },
    { characterSets: 'DIGITS' },
    { characterSets: null },
    { characterSets: [null] },
    { excludeCharacters: null },
    { excludeCharacters: ['a'] },
    { length: 0 },
    { length: 65 },
    { length: -1 },
    { length: 1.5 },
    { length: '32' },
    { length: null },
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

  it.each([...types, 'OTP', 'CREDIT_CARD_NUMBER', 'A', `A${'9'.repeat(63)}`])(
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
