/** Histories of a record store written by hand, and a checker so simple that it can be believed. */

import type { Found, Operation, Outcome } from '../../../reliability/linearizable/history.js'

type Span = readonly [called: number, returned: number]

/** Asked and answered in this span, a text such as `2 b` for version 2 with the value b. */
export function get(span: Span, found: string | undefined, id = 'a'): Operation {
  return { kind: 'get', id, ...times(span), found: found === undefined ? undefined : read(found) }
}

/** A write of this value over version `expectedVersion`. */
export function put(
  span: Span,
  expectedVersion: number,
  value: string,
  outcome: Outcome = true,
  { id = 'a', indexKey }: { readonly id?: string; readonly indexKey?: string } = {},
): Operation {
  return { kind: 'put', id, ...times(span), expectedVersion, value, indexKey, outcome }
}

/** A delete of version `expectedVersion`. */
export function remove(
  span: Span,
  expectedVersion: number,
  outcome: Outcome = true,
  id = 'a',
): Operation {
  return { kind: 'delete', id, ...times(span), expectedVersion, outcome }
}

/** A list that found records such as `a 1 x`. */
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

/** Whether some order of some of the operations on one place explains every answer: by trying them all. */
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
