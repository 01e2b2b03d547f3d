/**
 * Finds the operations of a history that are impossible if the store is linearizable.
 *
 * Keys are independent of each other, so each is checked separately (Herlihy and Wing 1990,
 * locality). A list is a read of every key that it covers, each at some moment between call and
 * return. The store contract promises no more, so a list does not have to be a snapshot. In
 * addition, a list must be ascending, must be within its page, and must contain no id that was
 * never written.
 */

import type { ListedRecord } from 'cofferkit'
import { findViolation, impossible, type State, type Step } from './find-violation.js'
import type { Found, Operation } from './history.js'

type List = Extract<Operation, { readonly kind: 'list' }>

/**
 * Returns one sentence for each violation, and an empty array if the history is linearizable. `ids`
 * are all ids that clients write.
 */
export function findViolations(history: readonly Operation[], ids: readonly string[]): string[] {
  const lists = history.flatMap((operation) => (operation.kind === 'list' ? [operation] : []))
  const read = listReadValues(history)
  const malformed = lists.flatMap((list) => findListIssues(list, ids))
  const unexplained = ids.flatMap((id) => {
    const steps = history.flatMap((operation) => toSteps(id, operation, read))
    const step = findViolation(steps.map(({ step }) => step))
    const violation = steps.find((other) => other.step === step)
    return violation === undefined
      ? []
      : [`${id}: nothing explains ${JSON.stringify(violation.operation)}`]
  })
  return [...malformed, ...unexplained]
}

/** The step of the operation at the key; an empty array if it does not involve the key. */
function toSteps(
  id: string,
  operation: Operation,
  read: ReadonlySet<string>,
): { step: Step; operation: Operation }[] {
  const simplified = withoutUnread(operation, read)
  const apply = toEffect(id, simplified)
  if (apply === undefined) return []
  const { called, returned } = operation
  const isAcknowledged = !('outcome' in operation) || operation.outcome !== 'unknown'
  const effect = isAcknowledged ? '' : formatEffect(simplified)
  return [{ step: { called, returned, isAcknowledged, effect, apply }, operation }]
}

/** All values that a read has returned. Each value is written once. */
function listReadValues(history: readonly Operation[]): ReadonlySet<string> {
  const values = new Set<string>()
  for (const operation of history) {
    if (operation.kind === 'get' && operation.found) values.add(operation.found.value)
    if (operation.kind === 'list') for (const { value } of operation.found) values.add(value)
  }
  return values
}

/**
 * Replaces a value that no read has returned, by one value for all of them. No step can tell the
 * states with such values apart.
 */
function withoutUnread(operation: Operation, read: ReadonlySet<string>): Operation {
  const isUnread = operation.kind === 'put' && !read.has(operation.value)
  return isUnread ? { ...operation, value: 'unread' } : operation
}

/** The same text for two writes of one key if they have the same effect on every state. */
function formatEffect(operation: Operation): string {
  if (operation.kind === 'put') {
    const { expectedVersion, value, indexKey } = operation
    return JSON.stringify(['put', expectedVersion, value, indexKey])
  }
  return JSON.stringify([
    operation.kind,
    'expectedVersion' in operation && operation.expectedVersion,
  ])
}

function toEffect(id: string, operation: Operation): Step['apply'] | undefined {
  if (operation.kind === 'list') {
    return covers(operation, id) ? (state) => applyList(operation, id, state) : undefined
  }
  if (operation.id !== id) return undefined
  switch (operation.kind) {
    case 'get':
      return (state) => (isSame(state, operation.found) ? state : impossible)
    case 'put': {
      const { expectedVersion, value, indexKey, outcome } = operation
      return createWrite(outcome, expectedVersion, {
        version: expectedVersion + 1,
        value,
        indexKey,
      })
    }
    case 'delete':
      return createWrite(operation.outcome, operation.expectedVersion, undefined)
  }
}

/** A write over `expectedVersion`. A delete of a missing record is always rejected. */
function createWrite(outcome: boolean | 'unknown', expectedVersion: number, after: State) {
  return (state: State): State | typeof impossible => {
    const exists = state !== undefined || after !== undefined
    const matches = exists && (state?.version ?? 0) === expectedVersion
    if (outcome !== 'unknown' && matches !== outcome) return impossible
    return matches ? after : state
  }
}

/** True if the id is within the page, and not after the last record of a full page. */
function covers({ page, found }: List, id: string): boolean {
  if (page.after !== undefined && id <= page.after) return false
  const last = found.at(-1)
  return found.length < page.limit || (last !== undefined && id <= last.id)
}

function applyList({ page, found }: List, id: string, state: State): State | typeof impossible {
  const isIncluded =
    state !== undefined && (page.indexKey === undefined || page.indexKey === state.indexKey)
  const expected = isIncluded ? state : undefined
  const listed = found.find((record) => record.id === id)
  return isSame(expected, listed) ? state : impossible
}

function isSame(state: State, found: Found | undefined): boolean {
  return state?.version === found?.version && state?.value === found?.value
}

function findListIssues({ page, found }: List, ids: readonly string[]): string[] {
  const issues: string[] = []
  const listed = found.map(({ id }: Pick<ListedRecord, 'id'>) => id)
  if (listed.length > page.limit) issues.push('is longer than its limit')
  if (listed.some((id, index) => index > 0 && id <= (listed[index - 1] ?? '')))
    issues.push('is not ascending')
  if (listed.some((id) => page.after !== undefined && id <= page.after))
    issues.push('begins before its page')
  if (listed.some((id) => !ids.includes(id))) issues.push('contains an id that was never written')
  return issues.map((issue) => `the list of ${JSON.stringify(page)} ${issue}: ${listed.join(' ')}`)
}
