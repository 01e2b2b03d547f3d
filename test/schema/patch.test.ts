import { describe, expect, it } from 'vitest'
import { patchSchema } from '../../src/schema/patch.js'
import { toJsonSchema } from '../support/http/json-schema.js'

describe('patchSchema', () => {
  it('has the JSON Schema of the contract with any JSON as value', () => {
    expect(toJsonSchema(patchSchema, 'input')).toEqual({
      type: 'array',
      maxItems: 256,
      items: {
        type: 'object',
        properties: {
          op: { type: 'string', enum: ['add', 'remove', 'replace'] },
          path: { type: 'string' },
          value: {},
        },
        required: ['op', 'path'],
      },
    })
  })

  it('omits unknown members', () => {
    const operation = { op: 'remove', path: '/title' }
    expect(patchSchema.parse([{ ...operation, from: '/tags' }])).toEqual([operation])
  })
})
