import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildItem, parseDraft } from '../../src/core/items/build-item.js'
import { createDraws } from '../../src/core/items/draws.js'
import { addNotes } from '../../src/dialects/connect/add-notes.js'
import { connectDialect } from '../../src/dialects/connect.js'
import { InvalidInputError } from '../../src/errors.js'
import type { FieldType } from '../../src/schema/field.js'
import type { Item } from '../../src/schema/item.js'
import { itemSchema } from '../../src/schema/item.js'
import { itemBody, itemContent, patchBody } from '../support/arbitraries/bodies.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { createBuildContext, itemId, storedItem, vaultId } from '../support/items/item-builders.js'

const ref = { vaultId, itemId }

function connectContext(): ReturnType<typeof createBuildContext> {
  return { ...createBuildContext(), dialect: connectDialect }
}

/** Returns the item built from the body; undefined if the body is rejected. */
function buildOrReject(
  context: ReturnType<typeof createBuildContext>,
  body: unknown,
): Item | undefined {
  try {
    return buildItem(
      context,
      parseDraft(context, body, ref),
      storedItem(),
      createDraws(context.randomBytes),
    )
  } catch (error) {
    if (error instanceof InvalidInputError) return undefined
    throw error
  }
}

/** Adds a type to every field that has none. */
function withFieldTypes(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { fields } = body
  if (!Array.isArray(fields)) return { ...body }
  return {
    ...body,
    fields: fields.map((field) => ({ type: 'EMAIL' satisfies FieldType, ...field })),
  }
}

describe('connectDialect', () => {
  it('parses every body that contractDialect accepts to the same item, except for notes', () => {
    const stats = { same: 0, onlyConnect: 0, rejected: 0 }
    const law = fc.property(itemBody, (generated) => {
      const body = withFieldTypes(generated)
      fc.pre(!JSON.stringify(body).includes('"id":""'))
      const contract = buildOrReject(createBuildContext(), body)
      const connect = buildOrReject(connectContext(), body)
      if (contract === undefined) stats[connect === undefined ? 'rejected' : 'onlyConnect']++
      else {
        stats.same++
        const { category, fields } = contract
        const isEqual = [fields, addNotes(category, fields)].some((some) =>
          isDeepStrictEqual(connect, { ...contract, fields: some }),
        )
        expect(isEqual).toBe(true)
      }
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
    expect(Math.min(...Object.values(stats))).toBeGreaterThan(propertyRuns(2))
  })

  it('builds valid items, and the same item when a formatted item is sent back', () => {
    let items = 0
    const law = fc.property(itemContent, (body) => {
      const item = buildOrReject(connectContext(), body)
      if (item === undefined) return
      items++
      expect(itemSchema.parse(item)).toEqual(item)
      const context = connectContext()
      const formatted = connectDialect.formatItem(item, 'getItem', new Date(0))
      const draws = createDraws(context.randomBytes)
      expect(buildItem(context, parseDraft(context, formatted, ref), item, draws)).toEqual({
        ...item,
        fields: addNotes(item.category, item.fields),
      })
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
    expect(items).toBeGreaterThan(propertyRuns(2))
  })

  it('parses names in any case', () => {
    let items = 0
    const law = fc.property(itemContent, fc.infiniteStream(fc.boolean()), (body, coins) => {
      const item = buildOrReject(connectContext(), body)
      if (item === undefined) return
      items++
      expect(buildOrReject(connectContext(), withRandomCase(body, coins))).toEqual(item)
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
    expect(items).toBeGreaterThan(propertyRuns(2))
  })

  it('parses any JSON or throws InvalidInputError', () => {
    const anything = fc.oneof(fc.jsonValue(), fc.object({ withNullPrototype: true }), patchBody)
    const law = fc.property(anything, fc.jsonValue(), (body, value) => {
      const parsers = [
        () => connectDialect.parseItem(body, ref),
        () => connectDialect.parsePatch(body),
        () => connectDialect.parsePatch([{ op: 'Add', path: '', value }]),
      ]
      for (const parse of parsers) {
        try {
          parse()
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidInputError)
        }
      }
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
  })
})

const enumNames = new Set(['category', 'type', 'purpose', 'characterSets'])

/** Returns the body with random letters of its enum values in lower case. */
function withRandomCase(value: unknown, coins: Iterator<boolean>, isEnum = false): unknown {
  if (typeof value === 'string') {
    if (!isEnum) return value
    return [...value].map((letter) => (coins.next().value ? letter.toLowerCase() : letter)).join('')
  }
  if (Array.isArray(value)) return value.map((element) => withRandomCase(element, coins, isEnum))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      withRandomCase(member, coins, enumNames.has(key)),
    ]),
  )
}
