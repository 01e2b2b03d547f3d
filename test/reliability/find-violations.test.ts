import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findViolations } from '../../reliability/linearizable/find-violations.js'
import type { Operation } from '../../reliability/linearizable/history.js'
import { runClients } from '../../reliability/linearizable/run-clients.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { get, isExplained, list, put, remove } from '../support/stores/histories.js'

const never = Number.POSITIVE_INFINITY
const ids = ['a', 'b', 'c']

const good: readonly (readonly [string, readonly Operation[]])[] = [
  ['nothing at all', []],
  ['a write that is read', [put([1, 2], 0, 'x'), get([3, 4], '1 x')]],
  ['a read beside a write, before it', [put([1, 4], 0, 'x'), get([2, 3], undefined)]],
  ['a read beside a write, after it', [put([1, 4], 0, 'x'), get([2, 3], '1 x')]],
  [
    'a chain of writes that overlap',
    [put([1, 9], 1, 'y'), put([2, 8], 0, 'x'), put([3, 7], 2, 'z'), get([10, 11], '3 z')],
  ],
  ['a rejected write', [put([1, 2], 0, 'x'), put([3, 4], 0, 'y', false), get([5, 6], '1 x')]],
  [
    'a delete, and a place that begins at version 1 again',
    [put([1, 2], 0, 'x'), remove([3, 4], 1), put([5, 6], 0, 'y'), get([7, 8], '1 y')],
  ],
  ['a delete of nothing, rejected', [remove([1, 2], 0, false), remove([3, 4], 1, false)]],
  [
    'an unknown write that took effect long after its failure',
    [
      put([1, never], 0, 'x', 'unknown'),
      get([2, 3], undefined),
      get([4, 5], undefined),
      get([6, 7], '1 x'),
    ],
  ],
  [
    'an unknown write that never took effect',
    [put([1, never], 0, 'x', 'unknown'), put([2, 3], 0, 'y'), get([4, 5], '1 y')],
  ],
  [
    'an unknown delete between two writes of version 1',
    [put([1, 2], 0, 'x'), remove([3, never], 1, 'unknown'), put([4, 5], 0, 'y')],
  ],
  [
    'an unknown write that fits again after a delete',
    [
      put([1, never], 0, 'x', 'unknown'),
      put([2, 3], 0, 'y'),
      remove([4, 5], 1),
      get([6, 7], '1 x'),
    ],
  ],
  [
    'a list that sees two places at different moments',
    [
      put([2, 3], 0, 'x'),
      remove([4, 5], 1),
      put([6, 7], 0, 'y', true, { id: 'b' }),
      list([1, 8], ['a 1 x', 'b 1 y']),
    ],
  ],
  [
    'a full page, which shows nothing of the records after it',
    [
      put([1, 2], 0, 'x'),
      put([3, 4], 0, 'y', true, { id: 'b' }),
      list([5, 6], ['a 1 x'], { limit: 1 }),
    ],
  ],
  [
    'a list by a label that the last write has taken away',
    [
      put([1, 2], 0, 'x', true, { indexKey: 'red' }),
      list([3, 4], ['a 1 x'], { indexKey: 'red', limit: 9 }),
      put([5, 6], 1, 'y'),
      list([7, 8], [], { indexKey: 'red', limit: 9 }),
    ],
  ],
]

const bad: readonly (readonly [string, readonly Operation[]])[] = [
  ['a stale read', [put([1, 2], 0, 'x'), put([3, 4], 1, 'y'), get([5, 6], '1 x')]],
  [
    'a lost update',
    [put([1, 2], 0, 'x'), put([3, 6], 1, 'y'), put([4, 5], 1, 'z'), get([7, 8], '2 z')],
  ],
  ['an acknowledged write that is missing', [put([1, 2], 0, 'x'), get([3, 4], undefined)]],
  [
    'a deleted record that came back',
    [put([1, 2], 0, 'x'), remove([3, 4], 1), get([5, 6], undefined), get([7, 8], '1 x')],
  ],
  ['a version that was used twice', [put([1, 2], 0, 'x'), put([3, 4], 0, 'y')]],
  [
    'a place that does not begin at version 1 after a delete',
    [put([1, 2], 0, 'x'), remove([3, 4], 1), put([5, 6], 1, 'y')],
  ],
  ['a read from the future', [get([1, 2], '1 x'), put([3, 4], 0, 'x')]],
  ['a value that was never written', [put([1, 2], 0, 'x'), get([3, 4], '1 y')]],
  ['a write that was rejected and is there', [put([1, 2], 0, 'x', false), get([3, 4], '1 x')]],
  ['a rejection without a reason', [put([1, 2], 0, 'x', false)]],
  ['a delete of nothing that was done', [remove([1, 2], 0)]],
  [
    'an unknown write that was there, and then was not',
    [put([1, never], 0, 'x', 'unknown'), get([2, 3], '1 x'), get([4, 5], undefined)],
  ],
  ['an unknown write before its call', [get([1, 2], '1 x'), put([3, never], 0, 'x', 'unknown')]],
  [
    'an unknown write that took effect twice',
    [put([1, never], 0, 'x', 'unknown'), get([2, 3], '1 x'), remove([4, 5], 1), get([6, 7], '1 x')],
  ],
  [
    'two readers that see two writes in different options',
    [
      put([1, 20], 0, 'x'),
      remove([1, 20], 1),
      get([2, 3], '1 x'),
      get([4, 5], undefined),
      get([6, 7], '1 x'),
    ],
  ],
  ['a list without a record that was there throughout', [put([1, 2], 0, 'x'), list([3, 4], [])]],
  ['a list of what is gone', [put([1, 2], 0, 'x'), remove([3, 4], 1), list([5, 6], ['a 1 x'])]],
  [
    'a list by a label that the record never had',
    [put([1, 2], 0, 'x'), list([3, 4], ['a 1 x'], { indexKey: 'red', limit: 9 })],
  ],
  [
    'a list by label that leaves one out',
    [
      put([1, 2], 0, 'x', true, { indexKey: 'red' }),
      list([3, 4], [], { indexKey: 'red', limit: 9 }),
    ],
  ],
  [
    'a page that leaves out a record before its last record',
    [
      put([1, 2], 0, 'x'),
      put([3, 4], 0, 'y', true, { id: 'b' }),
      list([5, 6], ['b 1 y'], { limit: 1 }),
    ],
  ],
  [
    'a list that is not ascending',
    [put([1, 2], 0, 'x'), put([3, 4], 0, 'y', true, { id: 'b' }), list([5, 6], ['b 1 y', 'a 1 x'])],
  ],
  [
    'a list that begins before its page',
    [put([1, 2], 0, 'x'), list([3, 4], ['a 1 x'], { after: 'b', limit: 9 })],
  ],
  [
    'a list that is longer than its limit',
    [
      put([1, 2], 0, 'x'),
      put([3, 4], 0, 'y', true, { id: 'b' }),
      list([5, 6], ['a 1 x', 'b 1 y'], { limit: 1 }),
    ],
  ],
  ['a list of an id that was never written', [list([1, 2], ['z 1 x'])]],
]

describe('findViolations', () => {
  it.each(good)('finds none in %s', (_, history) => {
    expect(findViolations(history, ids)).toEqual([])
  })

  it.each(bad)('finds %s', (_, history) => {
    expect(findViolations(history, ids)).not.toEqual([])
  })

  it('agrees with trying every order of small histories', () => {
    let explained = 0
    fc.assert(
      fc.property(fc.array(anyOperation, { maxLength: 6 }), (history) => {
        const expected = isExplained(history)
        if (expected) explained++
        expect(findViolations(history, ['a']).length === 0).toBe(expected)
      }),
      { numRuns: propertyRuns() },
    )
    expect(explained).toBeGreaterThan(propertyRuns(500))
    expect(explained).toBeLessThan(9_500)
  })

  it('finds in a good history what was changed afterwards, wherever it was', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const history = await runClients(createMemoryStore().records, { ...plan, seed })
      expect(findViolations(history, plan.ids)).toEqual([])
      for (const [index, operation] of history.entries()) {
        const forged = forgeriesOf(operation, history)
        for (const forgery of forged)
          expect(findViolations(history.with(index, forgery), plan.ids)).not.toEqual([])
      }
    }
  })
})

const plan = {
  clients: 4,
  operations: 30,
  collection: 'c',
  ids: ['a', 'b'],
  failingPercent: 0,
  maxTurns: 3,
}

/** The operation with a result that is impossible, however the others overlapped. */
function forgeriesOf(operation: Operation, history: readonly Operation[]): Operation[] {
  if (operation.kind === 'get')
    return [
      { ...operation, found: { version: 1 + (operation.found?.version ?? 0), value: 'none' } },
    ]
  if (operation.kind === 'list')
    return operation.found.map((record) => ({
      ...operation,
      found: operation.found.map((other) =>
        other === record ? { ...other, version: other.version + 1 } : other,
      ),
    }))
  if (operation.kind === 'put' && operation.outcome === true)
    return isRead(operation.value, history) ? [{ ...operation, outcome: false }] : []
  return []
}

function isRead(value: string, history: readonly Operation[]): boolean {
  return history.some(
    (other) =>
      (other.kind === 'get' && other.found?.value === value) ||
      (other.kind === 'list' && other.found.some((record) => record.value === value)),
  )
}

const anySpan = fc
  .tuple(fc.nat(12), fc.integer({ min: 1, max: 6 }))
  .map(([start, length]) => [start, start + length] as const)
const anySeen = fc.nat(2)
const anyValue = fc.constantFrom('x', 'y')
const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  fc
    .tuple(
      anySpan,
      fc.option(fc.tuple(fc.integer({ min: 1, max: 2 }), anyValue), { nil: undefined }),
    )
    .map(([span, found]) => get(span, found?.join(' '))),
  fc
    .tuple(anySpan, anySeen, anyValue, fc.constantFrom(true, true, false))
    .map(([span, seen, value, outcome]) => put(span, seen, value, outcome)),
  fc
    .tuple(anySpan, anySeen, fc.constantFrom(true, false))
    .map(([span, seen, outcome]) => remove(span, seen, outcome)),
  fc
    .tuple(fc.nat(12), anySeen, anyValue)
    .map(([called, seen, value]) => put([called, never], seen, value, 'unknown')),
  fc.tuple(fc.nat(12), anySeen).map(([called, seen]) => remove([called, never], seen, 'unknown')),
)
