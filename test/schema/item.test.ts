import { describe, expect, it } from 'vitest'
import { fieldDraftSchema, fieldSchema } from '../../src/schema/field.js'
import { fileDetailsSchema, fileDraftSchema } from '../../src/schema/file.js'
import { isItem, itemDraftSchema, itemSchema } from '../../src/schema/item.js'
import { itemSummarySchema } from '../../tools/openapi/operations.js'
import { toJsonSchema } from '../support/http/json-schema.js'

const categories =
  'LOGIN PASSWORD API_CREDENTIAL SERVER DATABASE CREDIT_CARD MEMBERSHIP PASSPORT SOFTWARE_LICENSE OUTDOOR_LICENSE ' +
  'SECURE_NOTE WIRELESS_ROUTER BANK_ACCOUNT DRIVER_LICENSE IDENTITY REWARD_PROGRAM DOCUMENT EMAIL_ACCOUNT ' +
  'SOCIAL_SECURITY_NUMBER MEDICAL_RECORD SSH_KEY CUSTOM'
const id = 'a'.repeat(26)
const idPattern = { type: 'string', pattern: '^[\\da-z]{26}$' }
const draft = { category: 'LOGIN', vault: { id } }
const item = {
  ...draft,
  id,
  favorite: false,
  tags: [],
  urls: [],
  sections: [],
  fields: [],
  files: [],
  version: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  lastEditedBy: 'wendy',
}

// Rows that the contract (2.2-1 to 2.2-15) has are left out.
function isAccepted(changes: object): boolean {
  return itemDraftSchema.safeParse({ ...draft, ...changes }).success
}

describe('itemDraftSchema', () => {
  it('has the JSON Schema of the contract', () => {
    expect(toJsonSchema(itemDraftSchema, 'input')).toEqual({
      type: 'object',
      properties: {
        category: { type: 'string', enum: categories.split(' ') },
        vault: { type: 'object', properties: { id: idPattern }, required: ['id'] },
        id: idPattern,
        title: { type: 'string' },
        favorite: { type: 'boolean' },
        tags: { type: 'array', maxItems: 100, items: { type: 'string' } },
        urls: {
          type: 'array',
          maxItems: 100,
          items: {
            type: 'object',
            properties: {
              href: { type: 'string', pattern: '^[A-Za-z][A-Za-z\\d+.-]+:[^\\s\\\\<>"{}|^`]*$' },
              label: { type: 'string' },
              primary: { type: 'boolean' },
            },
            required: ['href'],
          },
        },
        sections: {
          type: 'array',
          maxItems: 100,
          items: {
            type: 'object',
            properties: { id: { type: 'string' }, label: { type: 'string' } },
          },
        },
        fields: { type: 'array', maxItems: 1000, items: toJsonSchema(fieldDraftSchema, 'input') },
        state: { type: 'string', enum: ['ARCHIVED', 'DELETED'] },
        version: {
          type: 'integer',
          minimum: Number.MIN_SAFE_INTEGER,
          maximum: Number.MAX_SAFE_INTEGER,
        },
        createdAt: { type: 'string', format: 'date-time', pattern: expect.any(String) },
        updatedAt: { type: 'string', format: 'date-time', pattern: expect.any(String) },
        lastEditedBy: { type: 'string' },
        files: { type: 'array', items: toJsonSchema(fileDraftSchema, 'input') },
      },
      required: ['category', 'vault'],
    })
  })

  it.each([
    { version: 0 },
    { version: -7 },
    { createdAt: '0001-01-01T00:00:00Z' },
    { updatedAt: '2024-02-29T23:59:59.123456789+14:00' },
    { lastEditedBy: '' },
    { files: [{}] },
    {
      files: [
        { id: 'x', name: '', size: -1, content_path: '', content: 'aGk=', section: { id: '' } },
      ],
    },
  ])('accepts an item with %j', (changes) => {
    expect(isAccepted(changes)).toBe(true)
  })

  it.each([
    ...[' LOGIN', 'toString', '__proto__'].map((category) => ({ category })),
    { vault: {} },
    { vault: { id: 'A'.repeat(26) } },
    { urls: [{}] },
    { urls: [{ href: 1 }] },
    { urls: [{ href: 'https://a.example', primary: 'yes' }] },
    ...[id.toUpperCase(), `${id}a`].map((other) => ({ id: other })),
    { state: 0 },
    { version: Number.NaN },
    ...['2026-01-01T00:00Z', '2026-01-01T00:00:00', '2026-01-01 00:00:00Z'].flatMap((time) => [
      { createdAt: time },
      { updatedAt: time },
    ]),
    { lastEditedBy: [] },
    ...[null, { id: 5 }, { size: 1.5 }, { content_path: 5 }, { content: '=' }].map((file) => ({
      files: [file],
    })),
    ...['x', { id: 5 }].map((section) => ({ files: [{ section }] })),
  ])('rejects an item with %j', (changes) => {
    expect(isAccepted(changes)).toBe(false)
  })
})

describe('itemSchema', () => {
  it('has the JSON Schema of the contract', () => {
    const { properties, required } = toJsonSchema(itemSchema, 'output') as {
      properties: Record<string, object>
      required: string[]
    }
    const all = [...Object.keys(item), 'title', 'state']
    expect(Object.keys(properties).sort()).toEqual(all.sort())
    expect(required.toSorted()).toEqual(Object.keys(item).sort())
    expect(properties).toMatchObject({
      id: idPattern,
      category: { type: 'string', enum: categories.split(' ') },
      state: { type: 'string', enum: ['ARCHIVED', 'DELETED'] },
      version: { type: 'integer', minimum: 1 },
      createdAt: { type: 'string', format: 'date-time' },
      updatedAt: { type: 'string', format: 'date-time' },
      fields: { type: 'array', items: toJsonSchema(fieldSchema, 'output') },
      files: { type: 'array', items: toJsonSchema(fileDetailsSchema, 'output') },
    })
  })

  it.each([{}, { state: 'ARCHIVED' }, { state: 'DELETED' }, { title: 'Mail' }])(
    'accepts an item with %j',
    (changes) => {
      expect(itemSchema.parse({ ...item, ...changes })).toEqual({ ...item, ...changes })
    },
  )

  it.each([
    { state: 'ACTIVE' },
    { state: undefined },
    { title: undefined },
    { version: 0 },
    { version: 1.5 },
    { createdAt: '2026-01-01' },
    { updatedAt: '2026-02-30T00:00:00.000Z' },
    { updatedAt: '2026-01-01T00:00:00.000+01:00' },
    { id: 'short' },
    { vault: { id: 'short' } },
    { category: 'login' },
    { lastEditedBy: 1 },
  ])('rejects an item with %j', (changes) => {
    expect(itemSchema.safeParse({ ...item, ...changes }).success).toBe(false)
  })

  it.each(Object.keys(item))('rejects an item without %s', (name) => {
    const { [name as keyof typeof item]: _left, ...rest } = item
    expect(itemSchema.safeParse(rest).success).toBe(false)
  })

  it('itemSummarySchema omits fields, sections and files', () => {
    const { fields: _fields, sections: _sections, files: _files, ...summary } = item
    expect(itemSummarySchema.parse(item)).toEqual(summary)
  })
})

describe('isItem', () => {
  it.each([[undefined], [null], [5], [true], ['fields'], [[]], [{ id }], [{ sections: [] }]])(
    'returns false for %j',
    (value) => {
      expect(isItem(value)).toBe(false)
    },
  )

  it('returns true for an object with fields', () => {
    expect(isItem({ fields: [] })).toBe(true)
  })
})
