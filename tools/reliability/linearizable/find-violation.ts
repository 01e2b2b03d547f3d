/**
 * Searches for an order in which the steps at one key can have happened one after the other.
 *
 * The search is the one of Wing and Gong (1993) with the memoization of Lowe (2017), as in
 * Porcupine. Four rules are added, which exclude no order:
 *
 * - A step that does not change the state happens as soon as it can.
 * - A step with an unknown outcome happens only where it changes the state, or never.
 * - Of steps with unknown outcomes and the same effect, the one that was called first happens first.
 * - A position is not searched if the same one was visited with the same, or more, steps that can
 *   still happen or never happen.
 */

import type { Found, Interval } from './history.js'

/** The stored record at a key; undefined if it does not exist. */
export type State = (Found & { readonly indexKey: string | undefined }) | undefined

/** An operation of one client at the key. */
export interface Step extends Interval {
  /**
   * False if the outcome is unknown. The step can then have happened at any time after its call, or
   * never.
   */
  readonly isAcknowledged: boolean
  /** Steps with the same text have the same effect on every state. */
  readonly effect: string
  /** The state after the step; `impossible` if the client would have got another result. */
  apply(state: State): State | typeof impossible
}

/** Returned by a step that cannot have happened in the given state. */
export const impossible = Symbol('impossible')

/**
 * A position of the search. `first` is the first acknowledged step that has not happened yet. The
 * steps of `ahead` come after it and have happened.
 */
interface Progress {
  readonly first: number
  readonly ahead: readonly number[]
  /** Unacknowledged steps before `first` that have not happened. */
  readonly open: readonly number[]
  readonly state: State
}

/**
 * Returns the first step, by the time of its call, that fits into no order. Returns undefined if
 * there is an order for all steps.
 */
export function findViolation(steps: readonly Step[], start?: State): Step | undefined {
  const sorted = [...steps].sort((one, other) => one.called - other.called)
  const visited: Visited = new Map()
  const stack: Progress[] = [skipDone(sorted, { first: 0, ahead: [], open: [], state: start })]
  let furthest = 0
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const progress = takeUnchanging(sorted, next)
    if (progress.first === sorted.length) return undefined
    furthest = Math.max(furthest, progress.first)
    if (!addPosition(visited, sorted, progress)) continue
    stack.push(...listSuccessors(sorted, progress))
  }
  return sorted[furthest]
}

/** The positions after one more step that changes the state. The most likely one comes last. */
function listSuccessors(steps: readonly Step[], progress: Progress): Progress[] {
  const { open, state } = progress
  const inWindow = listCandidates(steps, progress)
  const isAcknowledged = (index: number): boolean => steps[index]?.isAcknowledged === true
  const pending = [...open, ...inWindow.filter((index) => !isAcknowledged(index))]
  // The first index of each effect.
  const byEffect = new Map(pending.reverse().map((index) => [steps[index]?.effect, index]))
  const unacknowledged = [...byEffect.values()].reverse()
  const acknowledged = inWindow.filter(isAcknowledged).reverse()
  return [...unacknowledged, ...acknowledged].flatMap((index) => {
    const after = steps[index]?.apply(state)
    if (after === impossible || after === state) return []
    return [takeStep(steps, progress, index, after)]
  })
}

/** The position after every acknowledged step that can happen now and does not change the state. */
function takeUnchanging(steps: readonly Step[], start: Progress): Progress {
  let progress = start
  for (;;) {
    const { state } = progress
    const unchanging = listCandidates(steps, progress).find(
      (index) => steps[index]?.isAcknowledged && steps[index].apply(state) === state,
    )
    if (unchanging === undefined) return progress
    progress = takeStep(steps, progress, unchanging, state)
  }
}

/**
 * The steps from `first` on that can be next: those that were called before the return of every
 * step that has not happened.
 */
function listCandidates(steps: readonly Step[], { first, ahead }: Progress): number[] {
  const candidates: number[] = []
  let end = Number.POSITIVE_INFINITY
  for (let index = first; index < steps.length; index++) {
    const step = steps[index]
    if (step === undefined || step.called > end) break
    if (ahead.includes(index)) continue
    candidates.push(index)
    if (step.isAcknowledged) end = Math.min(end, step.returned)
  }
  return candidates
}

function takeStep(
  steps: readonly Step[],
  { first, ahead, open }: Progress,
  index: number,
  state: State,
): Progress {
  if (index < first) return { first, ahead, open: open.filter((other) => other !== index), state }
  const more = [...ahead, index].sort((one, other) => one - other)
  return skipDone(steps, { first, ahead: more, open, state })
}

/** Moves on to the first acknowledged step that has not happened. */
function skipDone(steps: readonly Step[], { first, ahead, open, state }: Progress): Progress {
  const done = new Set(ahead)
  const skipped: number[] = []
  let index = first
  for (; index < steps.length; index++) {
    if (done.has(index)) continue
    if (steps[index]?.isAcknowledged) break
    skipped.push(index)
  }
  const rest = ahead.filter((other) => other > index)
  return { first: index, ahead: rest, open: [...open, ...skipped], state }
}

/**
 * The visited positions: for each one without its open steps, lists of the sorted effects of these
 * steps.
 */
type Visited = Map<string, string[][]>

/**
 * Adds a position. Returns false if it was visited before with at least the same open steps: what
 * is possible from here was possible from there, because an open step need not happen.
 */
function addPosition(visited: Visited, steps: readonly Step[], progress: Progress): boolean {
  const { first, ahead, open, state } = progress
  const key = JSON.stringify([first, ahead, state?.version, state?.value, state?.indexKey])
  const effects = open.map((index) => steps[index]?.effect ?? '').sort()
  const before = visited.get(key) ?? []
  if (before.some((other) => includesAll(other, effects))) return false
  visited.set(key, [...before.filter((other) => !includesAll(effects, other)), effects])
  return true
}

/** Returns true if a sorted list contains all elements of another one, each as often. */
function includesAll(list: readonly string[], part: readonly string[]): boolean {
  let index = 0
  for (const element of part) {
    while (index < list.length && (list[index] ?? '') < element) index++
    if (list[index] !== element) return false
    index++
  }
  return true
}
