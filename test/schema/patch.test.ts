import { describe, expect, it } from 'vitest'
import { patchOperationSchema, patchSchema } from '../../src/schema/patch.js'
import { jsonSchemaOf } from '../support/http/json-schema.js'

describe('patchOperationSchema', () => {
  it('has the JSON Schema of the contract with any JSON as value', () => {
    expect(jsonSchemaOf(patchOperationSchema, 'input')).toEqual({
      type: 'object',
      properties: {
        op: { type: 'string', enum: ['add', 'remove', 'replace'] },
        path: { type: 'string' },
        value: {},
      },
      required: ['op', 'path'],
    })
  })

  it.each(['text', '', 0, false, null, [[]], {}, [[{ a: [null] }]]])(
    'accepts the value %j',
    (value) => {
      const operation = { op: 'replace', path: '/title', value }
      expect(patchOperationSchema.parse(operation)).toEqual(operation)
    },
  )

  it.each([
    ...['move', 'copy', 'test', 'Add', 'ADD', '', 'toString', null, undefined].map((op) => ({
      op,
    })),
    ...[null, undefined, 1, ['title']].map((path) => ({ path })),
  ])('rejects an operation with %j', (changes) => {
    const operation = { op: 'add', path: '/title', value: 'x', ...changes }
    expect(patchOperationSchema.safeParse(operation).success).toBe(false)
  })

  it('omits unknown members', () => {
    const operation = { op: 'remove', path: '/title' }
    expect(patchOperationSchema.parse({ ...operation, from: '/tags' })).toEqual(operation)
  })
})

describe('patchSchema', () => {
  it('accepts an empty patch', () => {
    expect(patchSchema.parse([])).toEqual([])
  })

  it.each([{}, null, undefined, 'add', { op: 'remove', path: '/title' }, [[[]]], [[null]]])(
    'rejects %j',
    (patch) => {
      expect(patchSchema.safeParse(patch).success).toBe(false)
    },
  )
})
