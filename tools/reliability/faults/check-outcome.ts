/**
 * Checks an outcome of fault injection. The rules depend on the kind of the fault:
 *
 * 1. A store that is correct, but late or called more often (`delays`, `hangs`, `repeats`): the
 *    correct result and the correct state.
 * 2. A store that fails (`fails before`, `fails after`, `fails late`): the same, or a VaultError of
 *    status 500 or more, and the state before or after the operation. When all garbage has been
 *    collected, nothing is left behind.
 * 3. A store that returns wrong responses (`retries`, `denies`, `stale`, `short`, `nothing`). The
 *    service promises less here, so these are allowed as well:
 *    - an error of status 400, 404, 409 or 412;
 *    - the result of before the last change, or a list or a count that is incomplete;
 *    - a change that was made once more;
 *    - lost blobs and archived versions, if the store reports that it has stored them and has not,
 *      or that the item that references them does not exist. This is not allowed if the store only
 *      denies a write that it has made (`retries`, `denies`); then nothing is left behind either.
 *
 *    The item itself is one of the expected states and complete. A lost blob is reported as an
 *    error, and never replaced by other bytes.
 *
 * In all cases no error contains a value. After 1 and 2, a second run on a correct store works, and
 * returns the correct result for the state that the first run has left.
 */

import { inspect } from 'node:util'
import { isVaultError } from 'cofferkit'
import { type FaultKind, secrets } from './fault-kinds.js'
import type { Outcome, Reference } from './reference-run.js'
import { unreadable, type VisibleItem, type VisibleState } from './visible-state.js'

/** The observed results of a case. */
export interface Observation {
  readonly kinds: readonly FaultKind[]
  readonly outcome: Outcome
  /** The visible state afterwards. */
  readonly state: VisibleState
  readonly second: Outcome
  readonly secondState: VisibleState
  /** Leftovers in the store after all garbage was collected. */
  readonly leftovers: readonly string[]
}

const failing: readonly FaultKind[] = ['fails before', 'fails after', 'fails late']
const incorrect: readonly FaultKind[] = ['retries', 'denies', 'stale', 'short', 'nothing']
const denying: readonly FaultKind[] = ['retries', 'denies']
const rejectionStatuses = [400, 404, 409, 412]

/** Returns one sentence for each violation. */
export function checkOutcome(reference: Reference, observed: Observation): string[] {
  const secretIssues = [observed.outcome, observed.second].flatMap(({ error }) =>
    findSecrets(error),
  )
  if (observed.kinds.some((kind) => incorrect.includes(kind)))
    return [...secretIssues, ...checkIncorrectStore(reference, observed)]
  const canFail = observed.kinds.some((kind) => failing.includes(kind))
  return [
    ...secretIssues,
    ...checkResult(reference, observed.outcome, canFail),
    ...checkState(reference, observed),
    ...checkSecondRun(reference, observed),
    ...observed.leftovers.map((leftover) => `left behind: ${leftover}`),
  ]
}

function checkResult({ result }: Reference, outcome: Outcome, canFail: boolean): string[] {
  if (outcome.text === result || (canFail && statusOf(outcome) >= 500)) return []
  return [`returns ${outcome.text}, not ${result}`]
}

/** A successful result requires the state after the operation. */
function checkState({ before, after }: Reference, { outcome, state }: Observation): string[] {
  if (isSame(state, after) || (outcome.error !== undefined && isSame(state, before))) return []
  return [`leaves ${formatDifference(state, after)}`]
}

function checkSecondRun(
  { before, after, twice, result, secondResult }: Reference,
  { state, second, secondState }: Observation,
): string[] {
  const onBefore = isSame(state, before) && second.text === result && isSame(secondState, after)
  const onAfter = isSame(state, after) && second.text === secondResult && isSame(secondState, twice)
  return onBefore || onAfter ? [] : [`returns ${second.text} in a second run`]
}

function checkIncorrectStore(reference: Reference, observed: Observation): string[] {
  const { before, after, twice, thrice, result, secondResult, earlierResult } = reference
  const { outcome, state, secondState } = observed
  const canLoseData = observed.kinds.some(
    (kind) => incorrect.includes(kind) && !denying.includes(kind),
  )
  const damaged = [state, secondState].flatMap((current) =>
    [before, after, twice, thrice].some((known) => isDamaged(current, known, canLoseData))
      ? []
      : [`leaves ${formatDifference(current, after)}`],
  )
  const leftovers = canLoseData
    ? []
    : observed.leftovers.map((leftover) => `left behind: ${leftover}`)
  const issues = [...damaged, ...leftovers]
  const status = statusOf(outcome)
  const isRejected = status >= 500 || rejectionStatuses.includes(status)
  const isKnown = isMadeOf(outcome.text, [result, secondResult, earlierResult])
  return isRejected || isKnown ? issues : [...issues, `returns ${outcome.text}, not ${result}`]
}

/** Excerpts of both states from where they begin to differ. */
function formatDifference(state: VisibleState, expected: VisibleState): string {
  const [one, other] = [JSON.stringify(state), JSON.stringify(expected)]
  const start = [...one].findIndex((letter, index) => letter !== other[index])
  const [actual, missing] = [one, other].map((text) =>
    text.slice(Math.max(0, start - 40), start + 60),
  )
  return `…${actual}…, not …${missing}…`
}

function isSame(one: VisibleState, other: VisibleState): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** True if the states differ at most in lost archived versions, and in lost blobs if allowed. */
function isDamaged(state: VisibleState, whole: VisibleState, canLoseData: boolean): boolean {
  return (
    state.newVault === whole.newVault &&
    state.items.length === whole.items.length &&
    state.items.every((item, index) => isDamagedItem(item, whole.items[index], canLoseData))
  )
}

function isDamagedItem(
  damaged: VisibleItem,
  whole: VisibleItem | undefined,
  canLoseData: boolean,
): boolean {
  return (
    damaged.item === whole?.item &&
    damaged.summary === whole.summary &&
    damaged.contents.every(
      (text, index) => text === whole.contents[index] || (canLoseData && text === unreadable),
    )
  )
}

/** True if the result is one of the others, a list of their elements, or another count. */
function isMadeOf(text: string, others: readonly string[]): boolean {
  if (others.includes(text)) return true
  const [value, ...values] = [text, ...others].map(parseJson)
  if (typeof value === 'number') return values.every((other) => typeof other === 'number')
  if (!Array.isArray(value)) return false
  const known = values.flat().map((element) => JSON.stringify(element))
  return value.every((element) => known.includes(JSON.stringify(element)))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The status of a VaultError, otherwise 0. */
function statusOf({ error }: Outcome): number {
  return isVaultError(error) ? error.status : 0
}

function findSecrets(error: unknown): string[] {
  if (error === undefined) return []
  const text = inspect(error, { depth: 9, showHidden: true })
  return secrets.filter((secret) => text.includes(secret)).map(() => 'an error contains a value')
}
