/**
 * Says what of an outcome is not allowed.
 *
 * 1. A store that keeps its promises, late or more often than asked (`delays`, `hangs`, `repeats`): the right answer
 *    and the right state.
 * 2. A store that fails (`fails before`, `fails after`, `fails late`): the same, or a VaultError of status 500 or more, and the state
 *    before or after. When all that can be collected has been collected, nothing is left behind.
 * 3. A store that lies (`retries`, `denies`, `stale`, `short`, `nothing`). No promise of the service stands on a lie, so more is
 *    allowed: a refusal of status 400, 404, 409 or 412; the answer of before the last change, or a list or a count that
 *    is not whole; a change that was made once more. Contents and older versions may be lost, where the store says that
 *    it keeps them and does not, or that the item is not there that names them; not where it only denies a write that it
 *    has done (`retries`, `denies`), after which nothing is left behind either. The item itself is one of those that it
 *    should be, whole, and a content that was lost answers with an error, not with other bytes.
 *
 * Whatever happened, no error holds a value. After 1 and 2, a second try on a store that works again does and answers
 * what it should on the state that the first has left.
 */

import { inspect } from 'node:util'
import { isVaultError } from 'cofferkit'
import { type FaultKind, secrets } from './fault-kinds.js'
import type { Outcome, Reference } from './reference-run.js'
import { unreadable, type VisibleItem, type VisibleState } from './visible-state.js'

/** What was seen of a case. */
export interface Observation {
  readonly kinds: readonly FaultKind[]
  readonly outcome: Outcome
  /** What can be seen after it. */
  readonly state: VisibleState
  readonly second: Outcome
  readonly secondState: VisibleState
  /** What is left when all that can be collected has been. */
  readonly left: readonly string[]
}

const failing: readonly FaultKind[] = ['fails before', 'fails after', 'fails late']
const lying: readonly FaultKind[] = ['retries', 'denies', 'stale', 'short', 'nothing']
const denying: readonly FaultKind[] = ['retries', 'denies']
const rejections = [400, 404, 409, 412]

/** One sentence for each thing that is not allowed. */
export function checkOutcome(reference: Reference, seen: Observation): string[] {
  const secretFaults = [seen.outcome, seen.second].flatMap(({ error }) => secretsIn(error))
  if (seen.kinds.some((kind) => lying.includes(kind)))
    return [...secretFaults, ...faultsUnderLies(reference, seen)]
  const mayFail = seen.kinds.some((kind) => failing.includes(kind))
  return [
    ...secretFaults,
    ...outcomeFaults(reference, seen.outcome, mayFail),
    ...stateFaults(reference, seen),
    ...secondFaults(reference, seen),
    ...seen.left.map((words) => `left behind: ${words}`),
  ]
}

function outcomeFaults({ answer }: Reference, outcome: Outcome, mayFail: boolean): string[] {
  if (outcome.text === answer || (mayFail && statusOf(outcome) >= 500)) return []
  return [`answers ${outcome.text}, not ${answer}`]
}

/** An answer is right only if what it says has come about. */
function stateFaults({ before, after }: Reference, { outcome, state }: Observation): string[] {
  if (isSame(state, after) || (outcome.error !== undefined && isSame(state, before))) return []
  return [`leaves ${difference(state, after)}`]
}

function secondFaults(
  { before, after, twice, answer, secondAnswer }: Reference,
  { state, second, secondState }: Observation,
): string[] {
  const onBefore = isSame(state, before) && second.text === answer && isSame(secondState, after)
  const onAfter = isSame(state, after) && second.text === secondAnswer && isSame(secondState, twice)
  return onBefore || onAfter ? [] : [`answers a second try with ${second.text}`]
}

function faultsUnderLies(reference: Reference, seen: Observation): string[] {
  const { before, after, twice, thrice, answer, secondAnswer, earlierAnswer } = reference
  const { outcome, state, secondState } = seen
  const mayLose = seen.kinds.some((kind) => lying.includes(kind) && !denying.includes(kind))
  const damages = [state, secondState].flatMap((left) =>
    [before, after, twice, thrice].some((known) => isDamaged(left, known, mayLose))
      ? []
      : [`leaves ${difference(left, after)}`],
  )
  const left = mayLose ? [] : seen.left.map((words) => `left behind: ${words}`)
  const failures = [...damages, ...left]
  const status = statusOf(outcome)
  const isRefused = status >= 500 || rejections.includes(status)
  const isKnown = isMadeOf(outcome.text, [answer, secondAnswer, earlierAnswer])
  return isRefused || isKnown
    ? failures
    : [...failures, `answers ${outcome.text}, not ${answer}`]
}

/** Where the one begins to be unlike the other. */
function difference(state: VisibleState, expected: VisibleState): string {
  const [one, other] = [JSON.stringify(state), JSON.stringify(expected)]
  const ref = [...one].findIndex((letter, index) => letter !== other[index])
  const [shown, missed] = [one, other].map((text) => text.slice(Math.max(0, ref - 40), ref + 60))
  return `…${shown}…, not …${missed}…`
}

function isSame(one: VisibleState, other: VisibleState): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Whether one is the other, but for older versions that were lost, and contents if they may be. */
function isDamaged(state: VisibleState, whole: VisibleState, mayLose: boolean): boolean {
  return (
    state.newVault === whole.newVault &&
    state.items.length === whole.items.length &&
    state.items.every((item, index) => isDamagedItem(item, whole.items[index], mayLose))
  )
}

function isDamagedItem(
  damaged: VisibleItem,
  whole: VisibleItem | undefined,
  mayLose: boolean,
): boolean {
  return (
    damaged.item === whole?.item &&
    damaged.summary === whole.summary &&
    damaged.contents.every(
      (text, index) => text === whole.contents[index] || (mayLose && text === unreadable),
    )
  )
}

/** Whether the answer is one of the others, a list of what is listed there, or another count. */
function isMadeOf(text: string, others: readonly string[]): boolean {
  if (others.includes(text)) return true
  const [value, ...values] = [text, ...others].map(parsed)
  if (typeof value === 'number') return values.every((other) => typeof other === 'number')
  if (!Array.isArray(value)) return false
  const known = values.flat().map((element) => JSON.stringify(element))
  return value.every((element) => known.includes(JSON.stringify(element)))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The status of the error; 0 if it is none of this library, or if there is none. */
function statusOf({ error }: Outcome): number {
  return isVaultError(error) ? error.status : 0
}

function secretsIn(error: unknown): string[] {
  if (error === undefined) return []
  const everything = inspect(error, { depth: 9, showHidden: true })
  return secrets.filter((secret) => everything.includes(secret)).map(() => 'an error holds a value')
}
