/**
 * Says what of a history cannot have been if the store is linearizable.
 *
 * Places are independent of each other, so each is looked at alone (Herlihy and Wing 1990, locality). A list is a read
 * of every place that it covers, each at a moment of its own between call and answer: a store promises no more, so a
 * list need not be a snapshot. Beside that it is ascending, within its page, and names no id that nobody wrote.
 */

import type { ListedRecord } from 'cofferkit'
import type { Found, Operation } from './history.js'
import { type Held, impossible, findViolation, type Step } from './find-violation.js'

type List = Extract<Operation, { readonly kind: 'list' }>

/** One sentence for each violation; none if the history is linearizable. `ids` are those that clients write. */
export function findViolations(history: readonly Operation[], ids: readonly string[]): string[] {
  const lists = history.flatMap((operation) => (operation.kind === 'list' ? [operation] : []))
  const malformed = lists.flatMap((list) => listFaults(list, ids))
  const misfits = ids.flatMap((id) => {
    const steps = history.flatMap((operation) => stepAt(id, operation))
    const step = findViolation(steps.map(({ step }) => step))
    const culprit = steps.find((other) => other.step === step)
    return culprit === undefined
      ? []
      : [`${id}: nothing explains ${JSON.stringify(culprit.operation)}`]
  })
  return [...malformed, ...misfits]
}

/** What the operation did at the place, if it touched it. */
function stepAt(id: string, operation: Operation): { step: Step; operation: Operation }[] {
  const apply = effectOf(id, operation)
  if (apply === undefined) return []
  const { called, returned } = operation
  const isAcknowledged = !('outcome' in operation) || operation.outcome !== 'unknown'
  return [{ step: { called, returned, isAcknowledged, apply }, operation }]
}

function effectOf(id: string, operation: Operation): Step['apply'] | undefined {
  if (operation.kind === 'list') {
    return covers(operation, id) ? (held) => listedFrom(operation, id, held) : undefined
  }
  if (operation.id !== id) return undefined
  switch (operation.kind) {
    case 'get':
      return (held) => (isSame(held, operation.found) ? held : impossible)
    case 'put': {
      const { seen, value, label: indexKey } = operation
      return written(operation.outcome, seen, {
        version: seen + 1,
        value,
        label: indexKey,
      })
    }
    case 'delete':
      return written(operation.outcome, operation.seen, undefined)
  }
}

/** A write over version `seen`; nothing can be deleted where nothing is. */
function written(outcome: boolean | 'unknown', seen: number, after: Held): Step['apply'] {
  return (held) => {
    const matches = (held?.version ?? 0) === seen && !(held === undefined && after === undefined)
    if (outcome !== 'unknown' && matches !== outcome) return impossible
    return matches ? after : held
  }
}

/** Whether the list says something of this id: it lies in the page, and not behind where a full page ended. */
function covers({ page, found }: List, id: string): boolean {
  if (page.after !== undefined && id <= page.after) return false
  const last = found.at(-1)
  return found.length < page.limit || (last !== undefined && id <= last.id)
}

function listedFrom({ page, found }: List, id: string, held: Held): Held | typeof impossible {
  const isWanted =
    held !== undefined && (page.indexKey === undefined || page.indexKey === held.label)
  const expected = isWanted ? held : undefined
  const seen = found.find((record) => record.id === id)
  return isSame(expected, seen) ? held : impossible
}

function isSame(held: Held, found: Found | undefined): boolean {
  return held?.version === found?.version && held?.value === found?.value
}

function listFaults({ page, found }: List, ids: readonly string[]): string[] {
  const faults: string[] = []
  const listed = found.map(({ id }: Pick<ListedRecord, 'id'>) => id)
  if (listed.length > page.limit) faults.push('is longer than its limit')
  if (listed.some((id, index) => index > 0 && id <= (listed[index - 1] ?? '')))
    faults.push('is not ascending')
  if (listed.some((id) => page.after !== undefined && id <= page.after))
    faults.push('begins before its page')
  if (listed.some((id) => !ids.includes(id))) faults.push('names an id that nobody wrote')
  return faults.map((fault) => `the list of ${JSON.stringify(page)} ${fault}: ${listed.join(' ')}`)
}
