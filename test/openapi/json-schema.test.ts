import { describe, expect, it } from 'vitest'
import { invalidInputError, vaultNotInScopeError } from '../../src/base/fixed-errors.js'
import { errorStatuses, StorageError } from '../../src/errors.js'
import { errorBodySchema, toJsonSchemas } from '../../tools/openapi/json-schema.js'
import { describedOperations as operations } from '../../tools/openapi/operations.js'
import { toJsonSchema } from '../support/http/json-schema.js'

const { schemas: shapes, operations: calls } = toJsonSchemas((name) => `#/${name}`)
const id = { type: 'string', pattern: '^[\\da-z]{26}$' }

/** Every member of every object in `value`, at any depth. */
function membersIn(value: unknown): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap((entry) => [entry, ...membersIn(entry[1])])
}

describe('toJsonSchemas', () => {
  it('describes every operation', () => {
    expect(Object.keys(calls)).toEqual(Object.keys(operations))
  })

  it('contains the members, the required members and the output of an operation', () => {
    expect(calls.createItem).toEqual({
      members: { vaultId: id, itemId: id, item: { $ref: '#/ItemDraft' } },
      required: ['vaultId', 'item'],
      output: { $ref: '#/Item' },
    })
    expect(calls.listVaults).toEqual({
      members: {
        filter: { type: 'string', maxLength: 4096 },
        ignoreCase: { type: 'boolean' },
        sortBy: { type: 'string', enum: ['name', 'createdAt', 'updatedAt'] },
        sortOrder: { type: 'string', enum: ['ascending', 'descending'] },
        limit: { type: 'integer', minimum: 1, maximum: 1000 },
        after: id,
      },
      required: [],
      output: { type: 'array', items: { $ref: '#/Vault' } },
    })
  })

  it.each(['deleteItem', 'removeFile', 'readFileContent'] as const)(
    'has no output for %s, which returns nothing or bytes',
    (name) => {
      expect(calls[name].output).toBeUndefined()
    },
  )

  it('contains only references to named shapes', () => {
    const targets = membersIn([shapes, calls]).flatMap(([key, value]) =>
      key === '$ref' ? [String(value)] : [],
    )
    expect(targets.filter((target) => !(target.slice(2) in shapes))).toEqual([])
    expect(shapes['FieldDraft']).toMatchObject({
      properties: { type: { default: 'STRING' } },
      if: { required: ['value'] },
    })
    expect(shapes['Item']?.properties?.['fields']).toEqual({
      type: 'array',
      items: { $ref: '#/Field' },
    })
  })

  it('does not set additionalProperties', () => {
    expect(membersIn([shapes, calls]).filter(([key]) => key === 'additionalProperties')).toEqual([])
  })

  it('omits $schema, $id, patterns beside formats and safe-integer bounds', () => {
    const members = membersIn([shapes, calls])
    expect(members.filter(([key]) => key === '$schema' || key === '$id')).toEqual([])
    expect(members.filter(([, value]) => Math.abs(Number(value)) > 2 ** 52)).toEqual([])
    expect(shapes['Vault']?.properties?.['createdAt']).toEqual({
      type: 'string',
      format: 'date-time',
    })
  })
})

describe('errorBodySchema', () => {
  it('has only message and status', () => {
    expect(toJsonSchema(errorBodySchema, 'output')).toMatchObject({
      properties: { message: { type: 'string' }, status: { type: 'integer' } },
      required: expect.arrayContaining(['message', 'status']),
      additionalProperties: false,
    })
  })

  it.each([
    vaultNotInScopeError('v'),
    new StorageError('x'),
    invalidInputError([{ path: 'a', message: 'b' }]),
  ])('accepts the JSON of %s', (error) => {
    const body = error.toJSON()
    expect(errorBodySchema.parse(body)).toEqual(body)
  })

  it('accepts every status of errorStatuses and rejects a fraction', () => {
    for (const status of Object.values(errorStatuses)) {
      expect(errorBodySchema.safeParse({ status, message: '' }).success).toBe(true)
    }
    expect(errorBodySchema.safeParse({ status: 400.5, message: '' }).success).toBe(false)
  })
})
