import { describe, expect, it } from 'vitest'
import { fileDetailsSchema } from '../../src/schema/file.js'
import { fileIdSchema } from '../../src/schema/ids.js'
import { attachFileInputSchema } from '../../src/schema/inputs.js'
import { toJsonSchema } from '../support/http/json-schema.js'

const file = { id: 'f'.repeat(26), name: 'key.pem', size: 0, content_path: '/v1/x' }

describe('fileDetailsSchema', () => {
  it('has the JSON Schema of the contract', () => {
    expect(toJsonSchema(fileDetailsSchema, 'output')).toEqual({
      type: 'object',
      properties: {
        id: toJsonSchema(fileIdSchema, 'output'),
        name: { type: 'string' },
        size: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        content_path: { type: 'string' },
        content: { type: 'string', format: 'byte' },
        section: {
          type: 'object',
          properties: { id: { type: 'string' } },
          additionalProperties: false,
        },
      },
      required: ['id', 'name', 'size', 'content_path'],
      additionalProperties: false,
    })
  })

  it.each([{}, { content: '' }, { section: {} }, { section: { id: 's' } }, { size: 1e15 }])(
    'accepts a file with %j',
    (changes) => {
      expect(fileDetailsSchema.parse({ ...file, ...changes })).toEqual({ ...file, ...changes })
    },
  )

  it.each([
    { id: 'short' },
    { name: undefined },
    { size: -1 },
    { size: 0.5 },
    { size: '5' },
    { content_path: undefined },
    { content: undefined },
    { content: null },
    { section: undefined },
  ])('rejects a file with %j', (changes) => {
    expect(fileDetailsSchema.safeParse({ ...file, ...changes }).success).toBe(false)
  })

  it('accepts an id of 26 characters or a UUID in either case, like its JSON Schema', () => {
    const { pattern } = toJsonSchema(fileIdSchema, 'output') as { pattern: string }
    const matchesPattern = (id: string): boolean => new RegExp(pattern).test(id)
    const ids = [
      'f'.repeat(26),
      'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
      'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6',
    ]
    expect(ids.map(matchesPattern)).toEqual([true, true, true])
    expect(ids.map((id) => fileDetailsSchema.safeParse({ ...file, id }).success)).toEqual([
      true,
      true,
      true,
    ])
  })
})

describe('attachFileInputSchema', () => {
  it.each([
    { name: 'a' },
    { name: 'a', sectionId: '' },
    { name: 'a', sectionId: 'more', fileId: 'f'.repeat(26) },
    { name: 'a', sectionId: undefined, fileId: undefined },
  ])('accepts %j', (input) => {
    expect(attachFileInputSchema.safeParse(input).success).toBe(true)
  })
})
