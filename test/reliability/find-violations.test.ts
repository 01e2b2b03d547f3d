import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../src/storage/memory.js'
import { findViolations } from '../../tools/reliability/linearizable/find-violations.js'
import type { Operation } from '../../tools/reliability/linearizable/history.js'
import { runClients } from '../../tools/reliability/linearizable/run-clients.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { get, isExplained, list, put, remove } from '../support/stores/histories.js'

const never = Number.POSITIVE_INFINITY
const ids = ['a', 'b', 'c']

const validHistories: readonly (readonly [string, readonly Operation[]])[] = [
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
    'a delete, after which the record begins at version 1 again',
    [put([1, 2], 0, 'x'), remove([3, 4], 1), put([5, 6], 0, 'y'), get([7, 8], '1 y')],
  ],
  ['rejected deletes of a missing record', [remove([1, 2], 0, false), remove([3, 4], 1, false)]],
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
    'a list that reads two records at different times',
    [
      put([2, 3], 0, 'x'),
      remove([4, 5], 1),
      put([6, 7], 0, 'y', true, { id: 'b' }),
      list([1, 8], ['a 1 x', 'b 1 y']),
    ],
  ],
  [
    'a full page without the records that follow it',
    [
      put([1, 2], 0, 'x'),
      put([3, 4], 0, 'y', true, { id: 'b' }),
      list([5, 6], ['a 1 x'], { limit: 1 }),
    ],
  ],
  [
    'a list by an index key that the last write has removed',
    [
      put([1, 2], 0, 'x', true, { indexKey: 'red' }),
      list([3, 4], ['a 1 x'], { indexKey: 'red', limit: 9 }),
      put([5, 6], 1, 'y'),
      list([7, 8], [], { indexKey: 'red', limit: 9 }),
    ],
  ],
]

const invalidHistories: readonly (readonly [string, readonly Operation[]])[] = [
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
    'a record that does not begin at version 1 after a delete',
    [put([1, 2], 0, 'x'), remove([3, 4], 1), put([5, 6], 1, 'y')],
  ],
  ['a read from the future', [get([1, 2], '1 x'), put([3, 4], 0, 'x')]],
  ['a value that was never written', [put([1, 2], 0, 'x'), get([3, 4], '1 y')]],
  ['a rejected write that took effect', [put([1, 2], 0, 'x', false), get([3, 4], '1 x')]],
  ['a write that was rejected without a conflict', [put([1, 2], 0, 'x', false)]],
  ['a successful delete of a missing record', [remove([1, 2], 0)]],
  [
    'an unknown write that was read and then disappeared',
    [put([1, never], 0, 'x', 'unknown'), get([2, 3], '1 x'), get([4, 5], undefined)],
  ],
  ['an unknown write before its call', [get([1, 2], '1 x'), put([3, never], 0, 'x', 'unknown')]],
  [
    'an unknown write that took effect twice',
    [put([1, never], 0, 'x', 'unknown'), get([2, 3], '1 x'), remove([4, 5], 1), get([6, 7], '1 x')],
  ],
  [
    'reads in which a deleted record comes back during overlapping writes',
    [
      put([1, 20], 0, 'x'),
      remove([1, 20], 1),
      get([2, 3], '1 x'),
      get([4, 5], undefined),
      get([6, 7], '1 x'),
    ],
  ],
  ['a list without a record that existed throughout', [put([1, 2], 0, 'x'), list([3, 4], [])]],
  ['a list of a deleted record', [put([1, 2], 0, 'x'), remove([3, 4], 1), list([5, 6], ['a 1 x'])]],
  [
    'a list by an index key that the record never had',
    [put([1, 2], 0, 'x'), list([3, 4], ['a 1 x'], { indexKey: 'red', limit: 9 })],
  ],
  [
    'a list by index key that omits a record',
    [
      put([1, 2], 0, 'x', true, { indexKey: 'red' }),
      list([3, 4], [], { indexKey: 'red', limit: 9 }),
    ],
  ],
  [
    'a page that omits a record before its last one',
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
  it.each(validHistories)('finds none in %s', (_, history) => {
    expect(findViolations(history, ids)).toEqual([])
  })

  it.each(invalidHistories)('finds %s', (_, history) => {
    expect(findViolations(history, ids)).not.toEqual([])
  })

  it('agrees with an exhaustive search on small histories', () => {
    let explained = 0
    fc.assert(
      fc.property(fc.array(anyOperation, { maxLength: 6 }), (history) => {
        const isValid = isExplained(history)
        if (isValid) explained++
        expect(findViolations(history, ['a']).length === 0).toBe(isValid)
      }),
      { numRuns: propertyRuns() },
    )
    expect(explained).toBeGreaterThan(propertyRuns(50))
    expect(explained).toBeLessThan(9_500)
  })

  it('ends soon although the outcomes of many writes are unknown', () => {
    const unknown = Array.from({ length: 80 }, (_, number) => [
      put([number, never], number % 4, `unread ${number}`, 'unknown'),
      remove([number, never], number % 4, 'unknown'),
    ]).flat()
    const history = [...unknown, put([100, 101], 3, 'x'), get([102, 103], '4 x')]
    expect(findViolations(history, ids)).toEqual([])
    const impossible = get([104, 105], '9 x')
    expect(findViolations([...history, impossible], ids)).toHaveLength(1)
  })

  it('finds any forged result in a valid history', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const history = await runClients(createMemoryStore().records, { ...plan, seed })
      expect(findViolations(history, plan.ids)).toEqual([])
      for (const [index, operation] of history.entries()) {
        for (const forgery of forgeriesOf(operation, history))
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

/** Returns the operation with results that are impossible in any order of the history. */
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
const anyExpectedVersion = fc.nat(2)
const anyValue = fc.constantFrom('x', 'y')
const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  fc
    .tuple(
      anySpan,
      fc.option(fc.tuple(fc.integer({ min: 1, max: 2 }), anyValue), { nil: undefined }),
    )
    .map(([span, found]) => get(span, found?.join(' '))),
  fc
    .tuple(anySpan, anyExpectedVersion, anyValue, fc.constantFrom(true, true, false))
    .map(([span, expectedVersion, value, outcome]) => put(span, expectedVersion, value, outcome)),
  fc
    .tuple(anySpan, anyExpectedVersion, fc.constantFrom(true, false))
    .map(([span, expectedVersion, outcome]) => remove(span, expectedVersion, outcome)),
  fc
    .tuple(fc.nat(12), anyExpectedVersion, anyValue)
    .map(([called, expectedVersion, value]) =>
      put([called, never], expectedVersion, value, 'unknown'),
    ),
  fc
    .tuple(fc.nat(12), anyExpectedVersion)
    .map(([called, expectedVersion]) => remove([called, never], expectedVersion, 'unknown')),
)
