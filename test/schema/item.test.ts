import { describe, expect, it } from 'vitest'
import { itemSummarySchema } from '../../src/http/openapi/operations.js'
import { fieldDraftSchema, fieldSchema } from '../../src/schema/field.js'
import { fileDetailsSchema, fileDraftSchema } from '../../src/schema/file.js'
import { isItem, itemDraftSchema, itemSchema } from '../../src/schema/item.js'
import { jsonSchemaOf } from '../support/http/json-schema.js'

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

function isAccepted(changes: object): boolean {
  return itemDraftSchema.safeParse({ ...draft, ...changes }).success
}

describe('itemDraftSchema', () => {
  it.each(categories.split(' '))('accepts the category %s', (category) => {
    expect(isAccepted({ category })).toBe(true)
  })

  it('has exactly those 22 categories', () => {
    expect(categories.split(' ')).toHaveLength(22)
    expect(jsonSchemaOf(itemDraftSchema, 'input')).toMatchObject({
      properties: { category: { type: 'string', enum: categories.split(' ') } },
    })
  })

  it.each([
    '',
    'login',
    ' LOGIN',
    'UNKNOWN',
    'toString',
    '__proto__',
    null,
    1,
    [['LOGIN']],
    undefined,
  ])('rejects the category %j', (category) => expect(isAccepted({ category })).toBe(false))

  it('has the JSON Schema of the contract', () => {
    expect(jsonSchemaOf(itemDraftSchema, 'input')).toEqual({
      type: 'object',
      properties: {
        category: { type: 'string', enum: categories.split(' ') },
        vault: { type: 'object', properties: { id: idPattern }, required: ['id'] },
        id: idPattern,
        title: { type: 'string' },
        favorite: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' } },
        urls: {
          type: 'array',
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
          items: {
            type: 'object',
            properties: { id: { type: 'string' }, label: { type: 'string' } },
          },
        },
        fields: { type: 'array', items: jsonSchemaOf(fieldDraftSchema, 'input') },
        state: { type: 'string', enum: ['ARCHIVED', 'DELETED'] },
        version: {
          type: 'integer',
          minimum: Number.MIN_SAFE_INTEGER,
          maximum: Number.MAX_SAFE_INTEGER,
        },
        createdAt: { type: 'string', format: 'date-time', pattern: expect.any(String) },
        updatedAt: { type: 'string', format: 'date-time', pattern: expect.any(String) },
        lastEditedBy: { type: 'string' },
        files: { type: 'array', items: jsonSchemaOf(fileDraftSchema, 'input') },
      },
      required: ['category', 'vault'],
    })
  })

  it.each([
    { vault: undefined },
    { vault: null },
    { vault: id },
    { vault: {} },
    { vault: { id: 'A'.repeat(26) } },
    { title: null },
    { title: 1 },
    { favorite: 'true' },
    { favorite: null },
    { tags: 'work' },
    { tags: [1] },
    { tags: null },
    { urls: [{}] },
    { urls: [{ href: 1 }] },
    { urls: [{ href: '' }] },
    { urls: [{ href: 'example.com' }] },
    { urls: [{ href: 'https://a.example', primary: 'yes' }] },
    { urls: ['https://a.example'] },
    { sections: [{ id: 1 }] },
    { sections: [{ label: null }] },
    { fields: {} },
    { fields: [null] },
  ])('rejects an item with %j', (changes) => {
    expect(isAccepted(changes)).toBe(false)
  })

  it.each([undefined, null, '', 'x', 1, [[]], [[draft]]])('rejects %j', (value) => {
    expect(itemDraftSchema.safeParse(value).success).toBe(false)
  })

  it.each([
    { id },
    { state: 'ARCHIVED' },
    { state: 'DELETED' },
    { version: 0 },
    { version: -7 },
    { createdAt: '0001-01-01T00:00:00Z' },
    { updatedAt: '2024-02-29T23:59:59.123456789+14:00' },
    { lastEditedBy: '' },
    { files: [] },
    { files: [{}] },
    {
      files: [
        { id: 'x', name: '', size: -1, content_path: '', content: 'aGk=', section: { id: '' } },
      ],
    },
  ])('accepts an attribute that the vault sets: %j', (changes) => {
    expect(isAccepted(changes)).toBe(true)
  })

  it.each([
    ...['', 'x', id.toUpperCase(), `${id}a`, null, 5].map((other) => ({ id: other })),
    ...['', 'archived', 'GONE', null, 0].map((state) => ({ state })),
    ...['7', 1.5, null, Number.NaN].map((version) => ({ version })),
    ...['', '2026-01-01', '2026-01-01T00:00Z', '2026-01-01 00:00:00Z', 'now', null, 0].flatMap(
      (time) => [{ createdAt: time }, { updatedAt: time }],
    ),
    ...[null, 5, []].map((lastEditedBy) => ({ lastEditedBy })),
    ...['none', {}, [null], [{ size: 1.5 }], [{ content: '=' }]].map((files) => ({ files })),
  ])('rejects an invalid attribute that the vault sets: %j', (changes) => {
    expect(isAccepted(changes)).toBe(false)
  })
})

describe('itemSchema', () => {
  it('has the JSON Schema of the contract', () => {
    const { properties, required } = jsonSchemaOf(itemSchema, 'output') as {
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
      fields: { type: 'array', items: jsonSchemaOf(fieldSchema, 'output') },
      files: { type: 'array', items: jsonSchemaOf(fileDetailsSchema, 'output') },
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
