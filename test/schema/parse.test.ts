import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { ZodMiniType } from 'zod/mini'
import { invalidInputError } from '../../src/base/fixed-errors.js'
import { InvalidInputError } from '../../src/errors.js'
import { itemDraftSchema, itemSchema } from '../../src/schema/item.js'
import { compile, isDeeperThan, parse } from '../../src/schema/parse.js'
import { patchSchema } from '../../src/schema/patch.js'
import { describedOperations as operations } from '../../tools/openapi/operations.js'
import { itemBody, marker, patchBody } from '../support/arbitraries/bodies.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { captureIssues } from '../support/items/item-builders.js'

const purposes = '"", "USERNAME", "PASSWORD", "NOTES"'
const fieldSchema = itemDraftSchema.shape.fields

describe('parse', () => {
  it.each([
    [z.string(), 1, '', 'must be a string'],
    [z.object({}), null, '', 'must be an object'],
    [z.array(z.string()), {}, '', 'must be an array'],
    [z.object({ a: z.boolean() }), {}, 'a', 'must be a boolean'],
    [z.object({ a: z.int() }), { a: 1.5 }, 'a', 'must be an integer'],
    [z.object({ a: z.int() }), { a: '1' }, 'a', 'must be a number'],
    [z.object({ a: z.int().min(1) }), { a: 0 }, 'a', 'must be at least 1'],
    [z.object({ a: z.int().max(64) }), { a: 65 }, 'a', 'must be at most 64'],
    [z.object({ a: z.string().min(1) }), { a: '' }, 'a', 'must be at least 1 characters long'],
    [z.string().max(2), 'abc', '', 'must be at most 2 characters long'],
    [z.array(z.unknown()).max(3), [1, 2, 3, 4], '', 'must be at most 3 elements long'],
    [z.array(z.unknown()).min(1), [], '', 'must be at least 1 elements long'],
    [z.string().regex(/^a$/), 'b', '', 'has an invalid format'],
    [z.iso.datetime(), 'yesterday', '', 'must be a time, such as 2026-01-31T12:00:00Z'],
    [z.string().refine(() => false, 'must be better'), 'x', '', 'must be better'],
    [z.union([z.string(), z.int()]), [], '', 'is invalid'],
    [
      fieldSchema,
      [{ id: 'a' }, { id: 'b', purpose: 'x' }],
      '1/purpose',
      `must be one of ${purposes}`,
    ],
    [patchSchema, [{ op: 'add', path: [] }], '0/path', 'must be a string'],
  ])('throws an issue with path and message: case %#', (schema, input, path, message) => {
    expect(captureIssues(() => parse(schema, input))).toEqual([{ path, message }])
  })

  it('throws an issue for every invalid path', () => {
    const body = { vault: { id: 'x' }, category: 'LOGIN', tags: [1, 'a', 2], title: 3 }
    const paths = captureIssues(() => parse(itemDraftSchema, body)).map(({ path }) => path)
    expect(paths.toSorted()).toEqual(['tags/0', 'tags/2', 'title', 'vault/id'])
  })

  it('suggests the category that is similar, in the issue alone', () => {
    for (const [category, suggestion] of [
      ['login', ', did you mean LOGIN[?]'],
      ['PASSWROD', ', did you mean PASSWORD[?]'],
      ['NONSENSE', ''],
      [7, ''],
    ]) {
      const draft = { category, vault: { id: 'v'.repeat(26) } }
      expect(() => parse(itemDraftSchema, draft)).toThrow(/^Invalid item category$/)
      const message = expect.stringMatching(`^must be one of "LOGIN", .*"CUSTOM"${suggestion}$`)
      expect(captureIssues(() => parse(itemDraftSchema, draft))).toEqual([
        { path: 'category', message },
      ])
    }
  })

  it('throws the sentence of the contract for an invalid category, even among other issues', () => {
    const body = { category: 'NONSENSE', vault: {} }
    expect(() => parse(itemDraftSchema, body)).toThrow(/^Invalid item category$/)
    expect(captureIssues(() => parse(itemDraftSchema, body)).map(({ path }) => path)).toContain(
      'vault/id',
    )
    expect(() => parse(z.object({ item: itemDraftSchema }), { item: body })).not.toThrow(
      /^Invalid item/,
    )
  })

  it('throws the messages of the issues otherwise', () => {
    const run = (): unknown => parse(itemDraftSchema, { category: 'LOGIN', vault: { id: 5 } })
    expect(run).toThrow(invalidInputError([{ path: 'vault/id', message: 'must be a string' }]))
    expect(run).toThrow(/^vault\/id must be a string$/)
  })

  it('throws one issue for a recipe with too many sets', () => {
    const recipe = { characterSets: Array.from({ length: 300_000 }, () => 'x') }
    const body = { category: 'LOGIN', vault: { id: 'v'.repeat(26) }, fields: [{ id: 'f', recipe }] }
    expect(captureIssues(() => parse(itemDraftSchema, body))).toHaveLength(1)
  })

  it('never includes a value or an unknown name in the error', () => {
    let [cases, rejected] = [0, 0]
    const law = fc.property(itemBody, patchBody, (item, patch) => {
      cases++
      for (const [schema, body] of [
        [itemDraftSchema, item],
        [itemSchema, item],
        [patchSchema, patch],
      ] as const) {
        try {
          parse(schema, body)
        } catch (error) {
          if (!(error instanceof InvalidInputError)) return false
          rejected++
          const text = [
            error.message,
            error.stack,
            JSON.stringify(error.issues),
            JSON.stringify(error),
          ].join()
          if (text.includes(marker) || 'cause' in error) return false
        }
      }
      return true
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
    expect(rejected).toBeGreaterThan(cases / 20)
  })
})

describe('compile', () => {
  const schemas = [
    ['item draft', itemDraftSchema],
    ['stored item', itemSchema],
    ['patch', patchSchema],
    ...Object.entries(operations).map(([name, { input }]) => [`input of ${name}`, input] as const),
  ] as const

  it.each(schemas)('compiles the schema of the %s once', (_name, schema) => {
    expect(() => z.compile(schema, { strict: true })).not.toThrow()
    expect(compile(schema)).not.toBe(schema)
    expect(compile(schema)).toBe(compile(schema))
  })

  it('accepts and rejects the same values as the schema', () => {
    const parsesAlike = (schema: ZodMiniType, body: unknown): boolean => {
      const [plain, compiled] = [schema.safeParse(body), compile(schema).safeParse(body)]
      expect(compiled.data).toEqual(plain.data)
      expect(compiled.error?.issues).toEqual(plain.error?.issues)
      return compiled.success === plain.success
    }
    const law = fc.property(
      itemBody,
      patchBody,
      (item, patch) =>
        parsesAlike(itemDraftSchema, item) &&
        parsesAlike(itemSchema, item) &&
        parsesAlike(patchSchema, patch),
    )
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
  })
})

const kinds = [
  ['arrays', (inner: unknown) => [1, inner]],
  ['objects', (inner: unknown) => ({ a: 1, b: inner })],
  ['arrays of objects', (inner: unknown) => (Array.isArray(inner) ? { inner } : [inner])],
] as const

describe('isDeeperThan', () => {
  it.each(['text', 1, true, null, undefined])('counts no level for %s', (value) => {
    expect(isDeeperThan(value, 0)).toBe(false)
  })

  it.each([[{}], [[]]])('counts one level for an empty %j', (value) => {
    expect(isDeeperThan(value, 0)).toBe(true)
    expect(isDeeperThan(value, 1)).toBe(false)
  })

  it.each(kinds)('returns false for %s at the limit and true beyond it', (_kind, wrap) => {
    expect(isDeeperThan(nested(32, wrap), 32)).toBe(false)
    expect(isDeeperThan(nested(33, wrap), 32)).toBe(true)
  })

  it.each(kinds)('stops at the limit in very deep %s', (_kind, wrap) => {
    expect(isDeeperThan(nested(1_000_000, wrap), 32)).toBe(true)
  })

  it('counts levels under a key named __proto__ like any other', () => {
    expect(isDeeperThan(JSON.parse('{"__proto__":{"a":[]}}'), 2)).toBe(true)
    expect(isDeeperThan(JSON.parse('{"__proto__":{"a":[]}}'), 3)).toBe(false)
  })

  it('counts the elements of an array and none of its other properties', () => {
    expect(isDeeperThan(Object.assign([1], { name: [[]] }), 1)).toBe(false)
  })

  it('agrees with a full count of levels', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
        : 0
    const law = fc.property(
      fc.jsonValue({ maxDepth: 6 }),
      fc.nat(7),
      (value, limit) => isDeeperThan(value, limit) === depthOf(value) > limit,
    )
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
  })
})

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 'core'
  for (let level = 0; level < levels; level++) value = wrap(value)
  return value
}
