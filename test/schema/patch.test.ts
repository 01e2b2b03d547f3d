import { describe, expect, it } from 'vitest'
import { patchOperationSchema, patchSchema } from '../../src/schema/patch.js'
import { jsonSchemaOf } from '../support/http/json-schema.js'

describe('a patch operation', () => {
  it('is described as the contract describes it, with any JSON as its value', () => {
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
    'may have the value %j',
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
  ])('may not have %j', (changes) => {
    const operation = { op: 'add', path: '/title', value: 'x', ...changes }
    expect(patchOperationSchema.safeParse(operation).success).toBe(false)
  })

  it('is read without what is not a part of it', () => {
    const operation = { op: 'remove', path: '/title' }
    expect(patchOperationSchema.parse({ ...operation, from: '/tags' })).toEqual(operation)
  })
})

describe('a patch', () => {
  it('may be empty', () => {
    expect(patchSchema.parse([])).toEqual([])
  })

  it.each([{}, null, undefined, 'add', { op: 'remove', path: '/title' }, [[[]]], [[null]]])(
    'is an array of operations, not %j',
    (patch) => {
      expect(patchSchema.safeParse(patch).success).toBe(false)
    },
  )
})
