/**
 * Hand-written histories of a record store, and an exhaustive checker that is simple enough to
 * trust.
 */

import type { Found, Operation, Outcome } from '../../../tools/reliability/linearizable/history.js'

type Span = readonly [called: number, returned: number]

/** Called and returned in this interval; a text such as `2 b` for version 2 with the value b. */
export function get(span: Span, found: string | undefined, id = 'a'): Operation {
  return { kind: 'get', id, ...times(span), found: found === undefined ? undefined : read(found) }
}

/** A put of this value at version `expectedVersion`. */
export function put(
  span: Span,
  expectedVersion: number,
  value: string,
  outcome: Outcome = true,
  { id = 'a', indexKey }: { readonly id?: string; readonly indexKey?: string } = {},
): Operation {
  return { kind: 'put', id, ...times(span), expectedVersion, value, indexKey, outcome }
}

/** A delete at version `expectedVersion`. */
export function remove(
  span: Span,
  expectedVersion: number,
  outcome: Outcome = true,
  id = 'a',
): Operation {
  return { kind: 'delete', id, ...times(span), expectedVersion, outcome }
}

/** A list that returned records such as `a 1 x`. */
export function list(
  span: Span,
  found: readonly string[],
  page: { readonly indexKey?: string; readonly after?: string; readonly limit: number } = {
    limit: 9,
  },
): Operation {
  const records = found.map((text) => {
    const [id = '', version, value = ''] = text.split(' ')
    return { id, version: Number(version), value }
  })
  return { kind: 'list', ...times(span), page, found: records }
}

/**
 * Returns whether some order of some of the operations on one key explains every result, by trying
 * all orders.
 */
export function isExplained(history: readonly Operation[], held?: Found): boolean {
  if (history.every(isUnknown)) return true
  const end = Math.min(...history.map((operation) => operation.returned))
  return history.some((operation) => {
    if (operation.called > end) return false
    const after = outcomeOn(operation, held)
    return after !== undefined && isExplained(without(history, operation), after.held)
  })
}

function outcomeOn(operation: Operation, held: Found | undefined): { held?: Found } | undefined {
  const same = held === undefined ? {} : { held }
  if (operation.kind === 'list') return undefined
  if (operation.kind === 'get')
    return JSON.stringify(held) === JSON.stringify(operation.found) ? same : undefined
  const { kind, expectedVersion, outcome } = operation
  const matches =
    kind === 'put' ? (held?.version ?? 0) === expectedVersion : held?.version === expectedVersion
  if (outcome !== 'unknown' && outcome !== matches) return undefined
  if (!matches) return same
  return kind === 'put' ? { held: { version: expectedVersion + 1, value: operation.value } } : {}
}

function isUnknown(operation: Operation): boolean {
  return 'outcome' in operation && operation.outcome === 'unknown'
}

function without(history: readonly Operation[], operation: Operation): Operation[] {
  return history.filter((other) => other !== operation)
}

function times([called, returned]: Span): { called: number; returned: number } {
  return { called, returned }
}

function read(text: string): Found {
  const [version, value = ''] = text.split(' ')
  return { version: Number(version), value }
}
