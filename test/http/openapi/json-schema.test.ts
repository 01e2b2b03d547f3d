import { describe, expect, it } from 'vitest'
import { toJsonSchemas } from '../../../src/http/openapi/json-schema.js'
import { describedOperations as operations } from '../../../src/http/openapi/operations.js'
import { exportsOfEntries } from '../../support/source/compiler.js'

const { schemas: shapes, operations: calls } = toJsonSchemas((name) => `#/${name}`)
const id = { type: 'string', pattern: '^[\\da-z]{26}$' }

/** Every member of every object in `value`, at any depth. */
function membersIn(value: unknown): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap((entry) => [entry, ...membersIn(entry[1])])
}

describe('jsonSchemas', () => {
  it('names shapes as the library names their types', { timeout: 30_000 }, () => {
    const exported = exportsOfEntries().get('cofferkit') ?? []
    expect(Object.keys(shapes).filter((name) => !exported.includes(name))).toEqual([])
  })

  it('describes every operation', () => {
    expect(Object.keys(calls)).toEqual(Object.keys(operations))
  })

  it('says what an operation is told, what it must be told, and what it answers', () => {
    expect(calls.createItem).toEqual({
      members: { vaultId: id, item: { $ref: '#/ItemDraft' } },
      required: ['vaultId', 'item'],
      output: { $ref: '#/Item' },
    })
    expect(calls.listVaults).toEqual({
      members: {
        filter: { type: 'string', maxLength: 4096 },
        limit: { type: 'integer', minimum: 1, maximum: 1000 },
        after: id,
      },
      required: [],
      output: { type: 'array', items: { $ref: '#/Vault' } },
    })
  })

  it.each(['deleteItem', 'removeFile', 'readFileContent'] as const)(
    'has no schema for what %s answers, which is nothing, or bytes',
    (name) => {
      expect(calls[name].output).toBeUndefined()
    },
  )

  it('refers to shapes by their names wherever they are met, and to nothing else', () => {
    const targets = membersIn([shapes, calls]).flatMap(([key, value]) =>
      key === '$ref' ? [String(value)] : [],
    )
    expect(targets.filter((target) => !(target.slice(2) in shapes))).toEqual([])
    expect(shapes['Item']?.properties?.['fields']).toEqual({
      type: 'array',
      items: { $ref: '#/Field' },
    })
  })

  it('says what a field may be of, and what it is if nothing is said', () => {
    expect(shapes['FieldDraft']?.properties?.['type']).toMatchObject({
      enum: expect.arrayContaining(['STRING', 'TOTP', 'MENU']),
      default: 'STRING',
    })
  })

  it('leaves objects open', () => {
    expect(membersIn([shapes, calls]).filter(([key]) => key === 'additionalProperties')).toEqual([])
  })

  it('is short: no names of its own, no pattern beside a format, no bounds that every integer has', () => {
    const members = membersIn([shapes, calls])
    expect(members.filter(([key]) => key === '$schema' || key === '$id')).toEqual([])
    expect(members.filter(([, value]) => Math.abs(Number(value)) > 2 ** 52)).toEqual([])
    expect(shapes['Vault']?.properties?.['createdAt']).toEqual({
      type: 'string',
      format: 'date-time',
    })
  })
})
