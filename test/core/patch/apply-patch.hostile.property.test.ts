import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loginDraft } from '../../../src/testing.js'
import { createOneItem } from '../../support/items/single-item.js'
import { isUnpolluted } from '../../support/source/prototype-pollution.js'

const anything = fc.anything({
  maxDepth: 4,
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
})

/** An array nested to this many levels; 0 stands for an array that contains itself. */
const nestedArray = fc.constantFrom(0, 31, 32, 33, 40, 6000).map((levels) => {
  let value: unknown[] = []
  if (levels === 0) value.push(value)
  for (let level = 0; level < levels; level++) value = [value]
  return value
})

const names = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'polluted',
  'type',
  'id',
)
const hostileJson = fc.letrec((tie) => ({
  node: fc.oneof({ depthSize: 'small' }, fc.string(), fc.array(tie('node')), tie('object')),
  object: fc.array(fc.tuple(names, tie('node'))).map((members) =>
    // Like JSON.parse: an own member, even one named __proto__.
    members.reduce(
      (object, [name, value]) =>
        Object.defineProperty(object, name, {
          value,
          enumerable: true,
          configurable: true,
          writable: true,
        }),
      {},
    ),
  ),
}))

const token = fc.oneof(
  names,
  fc.constantFrom(
    'fields',
    'tags',
    'urls',
    'sections',
    'title',
    'favorite',
    'category',
    'pin',
    '-',
    '0',
    '1',
    'label',
    'value',
  ),
  fc.string({ unit: fc.constantFrom('~', '0', '1', 'a', '/', '-') }),
)
const path = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .array(token, { maxLength: 4 })
      .map((tokens) => tokens.map((name) => `/${name}`).join('')),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('/fields/pin', '/fields/new', '/fields', '/tags/-', '/', '/title'),
  },
  { weight: 1, arbitrary: anything },
)
const operation = fc.record(
  {
    op: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom('add', 'remove', 'replace') },
      { weight: 1, arbitrary: fc.oneof(names, anything) },
    ),
    path,
    value: fc.oneof(
      anything,
      fc.jsonValue(),
      nestedArray,
      hostileJson.node,
      fc.string(),
      fc.boolean(),
    ),
    from: path,
  },
  { requiredKeys: ['op', 'path'] },
)
const patch = fc.oneof(
  { weight: 12, arbitrary: fc.array(operation, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.array(fc.oneof(operation, anything), { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.oneof(anything, nestedArray, fc.jsonValue(), hostileJson.node) },
)

describe('patchItem with an arbitrary patch', () => {
  it('returns an item or throws InvalidInputError, and pollutes no prototype', {
    timeout: 60_000,
  }, async () => {
    const counts = { changed: 0, rejected: 0 }
    const law = fc.asyncProperty(patch, async (input) => {
      const { item, ...one } = await createOneItem(loginDraft(''))
      const outcome = await one.patch(input)
      if ('issues' in outcome) counts.rejected++
      else if (outcome.version > item.version) counts.changed++
      expect(isUnpolluted()).toBe(true)
    })
    await fc.assert(law, { numRuns: 10_000 })
    expect(counts.changed).toBeGreaterThan(50)
    expect(counts.rejected).toBeGreaterThan(5000)
  })
})
