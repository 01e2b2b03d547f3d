/**
 * Looks for an order in which the steps at one place can have happened one after the other.
 *
 * The search is that of Wing and Gong (1993) with the memory of Lowe (2017), as in Porcupine. Two things are added,
 * which lose no order: a step that leaves what is there as it is happens as soon as it can, and a step whose outcome
 * nobody was told happens only where it changes something, or never.
 */

import type { Found, Interval } from './history.js'

/** What a place holds; undefined if it is empty. */
export type Held = (Found & { readonly label: string | undefined }) | undefined

/** Something that one client did at the place. */
export interface Step extends Interval {
  /** Whether its outcome was told. If not, it may have happened at any time after its call, or never. */
  readonly isAcknowledged: boolean
  /** What the place holds after it; `impossible` if its client would have been told something else. */
  apply(held: Held): Held | typeof impossible
}

/** The answer of a step that cannot have happened to what the place held. */
export const impossible = Symbol('impossible')

/** How far the search is: `first` is the first told step that has not happened; those of `ahead` have. */
interface Progress {
  readonly first: number
  readonly ahead: readonly number[]
  /** Steps before `first` that nobody was told of and that have not happened. */
  readonly open: readonly number[]
  readonly held: Held
}

/** The first step, by the time of its call, that fits into no order; undefined if there is an order for all. */
export function findViolation(steps: readonly Step[], start?: Held): Step | undefined {
  const sorted = [...steps].sort((one, other) => one.called - other.called)
  const met = new Set<string>()
  const left: Progress[] = [passed(sorted, { first: 0, ahead: [], open: [], held: start })]
  let furthest = 0
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const progress = settled(sorted, next)
    if (progress.first === sorted.length) return undefined
    furthest = Math.max(furthest, progress.first)
    const name = nameOf(progress)
    if (met.has(name)) continue
    met.add(name)
    left.push(...successors(sorted, progress))
  }
  return sorted[furthest]
}

/** Where one more step leads that changes what is there; the likeliest comes last. */
function successors(steps: readonly Step[], progress: Progress): Progress[] {
  const { open, held } = progress
  const inWindow = candidates(steps, progress)
  const isAcknowledged = (index: number): boolean => steps[index]?.isAcknowledged === true
  const untold = [...open, ...inWindow.filter((index) => !isAcknowledged(index))]
  return [...untold, ...inWindow.filter(isAcknowledged).reverse()].flatMap((index) => {
    const after = steps[index]?.apply(held)
    if (after === impossible || after === held) return []
    return [taken(steps, progress, index, after)]
  })
}

/** The same, after every told step that can happen now and changes nothing. */
function settled(steps: readonly Step[], start: Progress): Progress {
  let progress = start
  for (;;) {
    const { held } = progress
    const quiet = candidates(steps, progress).find(
      (index) => steps[index]?.isAcknowledged && steps[index].apply(held) === held,
    )
    if (quiet === undefined) return progress
    progress = taken(steps, progress, quiet, held)
  }
}

/** The steps from `first` on that can be next: none that was called after one that is left had returned. */
function candidates(steps: readonly Step[], { first, ahead }: Progress): number[] {
  const found: number[] = []
  let end = Number.POSITIVE_INFINITY
  for (let index = first; index < steps.length; index++) {
    const step = steps[index]
    if (step === undefined || step.called > end) break
    if (ahead.includes(index)) continue
    found.push(index)
    if (step.isAcknowledged) end = Math.min(end, step.returned)
  }
  return found
}

function taken(steps: readonly Step[], progress: Progress, index: number, held: Held): Progress {
  const { first, ahead, open } = progress
  if (index < first) return { first, ahead, open: open.filter((other) => other !== index), held }
  const more = [...ahead, index].sort((one, other) => one - other)
  return passed(steps, { first, ahead: more, open, held })
}

/** Goes on to the first told step that has not happened. */
function passed(steps: readonly Step[], { first, ahead, open, held }: Progress): Progress {
  const done = new Set(ahead)
  const skipped: number[] = []
  let index = first
  for (; index < steps.length; index++) {
    if (done.has(index)) continue
    if (steps[index]?.isAcknowledged) break
    skipped.push(index)
  }
  const rest = ahead.filter((other) => other > index)
  return { first: index, ahead: rest, open: [...open, ...skipped], held }
}

function nameOf({ first, ahead, open, held }: Progress): string {
  return JSON.stringify([first, ahead, open, held?.version, held?.value, held?.label])
}
