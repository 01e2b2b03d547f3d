import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildItem } from '../../src/core/items/build-item.js'
import { parseDraft } from '../../src/core/items/parse-draft.js'
import { connectDialect } from '../../src/dialects/connect.js'
import { InvalidInputError } from '../../src/errors.js'
import type { FieldType } from '../../src/schema/field.js'
import type { Item } from '../../src/schema/item.js'
import { itemSchema } from '../../src/schema/item.js'
import { itemBody, itemContent, patchBody } from '../support/arbitraries/bodies.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { building, itemId, storedItem, vaultId } from '../support/items/item-builders.js'

const ref = { vaultId, itemId }

function inConnect(): ReturnType<typeof building> {
  return { ...building(), dialect: connectDialect }
}

/** The item that the body makes, or undefined if it is refused as it ought to be. */
function builtIn(context: ReturnType<typeof building>, body: unknown): Item | undefined {
  try {
    return buildItem(context, parseDraft(context, body, ref), storedItem())
  } catch (error) {
    if (error instanceof InvalidInputError) return undefined
    throw error
  }
}

/** The body with what is left to the reader said: every field has a type and no id is empty. */
function outspoken(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { fields } = body
  if (!Array.isArray(fields)) return { ...body }
  return {
    ...body,
    fields: fields.map((field) => ({ type: 'EMAIL' satisfies FieldType, ...field })),
  }
}

describe('the connect dialect', () => {
  it('reads everything that the contract dialect reads, and reads it the same', () => {
    const stats = { same: 0, more: 0, refused: 0 }
    const law = fc.property(itemBody, (given) => {
      const body = outspoken(given)
      fc.pre(!JSON.stringify(body).includes('"id":""'))
      const contract = builtIn(building(), body)
      const connect = builtIn(inConnect(), body)
      if (contract === undefined) stats[connect === undefined ? 'refused' : 'more']++
      else {
        stats.same++
        expect(connect).toEqual(contract)
      }
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
    expect(Math.min(...Object.values(stats))).toBeGreaterThan(propertyRuns(20))
  }, 60_000)

  it('makes items that can be stored, and of such an item the same again', () => {
    let items = 0
    const law = fc.property(itemContent, (body) => {
      const item = builtIn(inConnect(), body)
      if (item === undefined) return
      items++
      expect(itemSchema.parse(item)).toEqual(item)
      const context = inConnect()
      const answer = connectDialect.formatItem(item, 'getItem', new Date(0))
      expect(buildItem(context, parseDraft(context, answer, ref), item)).toEqual(item)
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
    expect(items).toBeGreaterThan(propertyRuns(20))
  }, 60_000)

  it('reads an item whatever the case of its names', () => {
    let items = 0
    const law = fc.property(itemContent, fc.infiniteStream(fc.boolean()), (body, coins) => {
      const item = builtIn(inConnect(), body)
      if (item === undefined) return
      items++
      expect(builtIn(inConnect(), inAnyCase(body, coins))).toEqual(item)
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
    expect(items).toBeGreaterThan(propertyRuns(20))
  }, 60_000)

  it('reads any JSON or refuses it as invalid input', () => {
    const anything = fc.oneof(fc.jsonValue(), fc.object({ withNullPrototype: true }), patchBody)
    const law = fc.property(anything, fc.jsonValue(), (body, value) => {
      const reads = [
        () => connectDialect.parseItem(body, ref),
        () => connectDialect.parsePatch(body),
        () => connectDialect.parsePatch([{ op: 'Add', path: '', value }]),
      ]
      for (const read of reads) {
        try {
          read()
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidInputError)
        }
      }
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
  }, 60_000)
})

const named = new Set(['category', 'type', 'purpose', 'characterSets'])

/** The body with some letters of the contract's names in lower case. */
function inAnyCase(value: unknown, coins: Iterator<boolean>, isNamed = false): unknown {
  if (typeof value === 'string') {
    if (!isNamed) return value
    return [...value].map((sign) => (coins.next().value ? sign.toLowerCase() : sign)).join('')
  }
  if (Array.isArray(value)) return value.map((element) => inAnyCase(element, coins, isNamed))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, inAnyCase(member, coins, named.has(key))]),
  )
}
