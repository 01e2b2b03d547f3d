import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDeeperThan } from '../../src/schema/parse.js'

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 'core'
  for (let level = 0; level < levels; level++) value = wrap(value)
  return value
}

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
    expect(() => fc.assert(law, { numRuns: 10_000 })).not.toThrow()
  })
})
