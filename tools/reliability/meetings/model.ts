/**
 * The model: the contents that a store must have, however the steps of several processes are
 * interleaved and interrupted.
 *
 * Everything that can be read is a *place*, such as `item <vault id>/<item id>`, and has a set of
 * possible values. A step plans an effect on each place that it may change. If it is acknowledged,
 * the effect has happened; if it is refused, it has not; otherwise both are possible, and the next
 * read decides.
 */

/** The effect of a step on a place. Both functions are pure. */
export interface Effect {
  /** Returns true if the step can be acknowledged while the place has this value. */
  readonly can: (value: string) => boolean
  /** Returns the next value. The same for its own result, because effects are applied again. */
  readonly to: (value: string) => string
  /** The mark of the content that it writes. */
  readonly mark?: string
}

/**
 * The effects of a step by the places that it may change or needs. A key that ends with a slash is
 * the beginning of places.
 */
export type Effects = ReadonlyMap<string, Effect>

/** How a step ended. */
export type Ending =
  /** It was acknowledged. */
  | 'done'
  /** It was rejected with a status below 500. */
  | 'refused'
  /** It failed, or its process was killed. */
  | 'unknown'
  /** It was done in a transaction that was rolled back. */
  | 'undone'

/** A step that has begun. */
export interface BegunStep {
  readonly effects: Effects
  /** The places that other steps have changed since this one began. */
  readonly shared: Set<string>
  /** The places that were read since it began. Its effect on them may be seen already. */
  readonly observed: Set<string>
}

/** The value of a place where nothing is. */
export const nothing = ''

/** The end of the value of an item that is marked as deleted. */
const trashMark = '*'
/** The beginning of the value of an item whose record is damaged. */
const damageMark = '!'

/** Values of items. */
export const itemValue = {
  isReadable: (value: string): boolean =>
    value !== nothing && !value.startsWith(damageMark) && !value.endsWith(trashMark),
  isDamaged: (value: string): boolean => value.startsWith(damageMark),
  isTrash: (value: string): boolean => value.endsWith(trashMark),
  toDamaged: (value: string): string => `${damageMark}${value}`,
  toTrash: (value: string): string => `${value}${trashMark}`,
  fromTrash: (value: string): string => value.slice(0, -trashMark.length),
}

/** A vault whose keys were erased. */
export const erased = 'erased'

/** Returns the text that is read where the value is. */
function visibleOf(value: string): string {
  if (value === erased || itemValue.isTrash(value)) return nothing
  return itemValue.isDamaged(value) ? 'unreadable' : value
}

/** A promise that was broken. */
export class BrokenPromise extends Error {
  constructor(promise: string, what: string) {
    super(`${promise}: ${what}`)
    this.name = 'BrokenPromise'
  }
}

/** The possible values of all places. */
export interface Model {
  /** Returns the places with this beginning that a step has ever planned to change. */
  places(beginning: string): readonly string[]
  /** The values that a place can have now, with the effects of the steps that are still running. */
  possible(place: string): ReadonlySet<string>
  /** The marks that steps which are still running may write to a place. */
  runningMarks(place: string): readonly string[]
  /** Returns true if a step is running that can change a place with this beginning. */
  isBusy(beginning: string): boolean
  /** Returns true if the step must succeed, false if it must be refused, otherwise undefined. */
  foresee(effects: Effects): boolean | undefined
  /** The effects of the step are possible from now on. */
  begin(effects: Effects): BegunStep
  /** @throws BrokenPromise if the step cannot have ended so. */
  end(step: BegunStep, ending: Ending): void
  /** Sets a value that something else than a step has made, or that was found. */
  set(place: string, value: string): void
  /** Every process must read the same. @throws BrokenPromise if it cannot be read. */
  observe(place: string, visible: string, reader: string): void
}

/** Creates the model of an empty store. */
export function createModel(): Model {
  const values = new Map<string, ReadonlySet<string>>()
  const running = new Set<BegunStep>()
  const valuesOf = (place: string): ReadonlySet<string> => values.get(place) ?? new Set([nothing])
  const places = (beginning: string): string[] =>
    [...values.keys()].filter((place) => place.startsWith(beginning))

  /** Returns the values with every number of effects of running steps, in any order. */
  const possible = (place: string): Set<string> => {
    const reached = new Set(valuesOf(place))
    const effects = [...running].flatMap((step) => findEffect(step.effects, place) ?? [])
    for (const value of reached)
      for (const { can, to } of effects) if (can(value)) reached.add(to(value))
    return reached
  }
  const noteChange = (place: string): void => {
    for (const { effects, shared } of running) if (findEffect(effects, place)) shared.add(place)
  }

  return {
    places,
    possible,
    runningMarks: (place) =>
      [...running].flatMap(({ effects }) => findEffect(effects, place)?.mark ?? []),
    isBusy: (beginning) =>
      [...running].some(({ effects }) =>
        [...effects.keys()].some((key) => key.startsWith(beginning)),
      ),
    foresee(effects) {
      let isCertain = true
      for (const [place, { can }] of effects) {
        if (place.endsWith('/')) continue
        const able = [...possible(place)].map(can)
        if (!able.includes(true)) return false
        if (able.includes(false)) isCertain = false
      }
      return isCertain ? true : undefined
    },
    begin(effects) {
      for (const place of effects.keys())
        if (!place.endsWith('/')) values.set(place, valuesOf(place))
      const step: BegunStep = { effects, shared: new Set(), observed: new Set() }
      running.add(step)
      return step
    },
    end(step, ending) {
      running.delete(step)
      if (ending === 'refused' || ending === 'undone') return
      for (const key of step.effects.keys())
        for (const place of key.endsWith('/') ? places(key) : [key]) {
          const { can, to } = findEffect(step.effects, place) ?? { can: () => false, to: String }
          const before = possible(place)
          const wasSeen = step.observed.has(place)
          const after = [...before]
            .filter((value) => can(value) || (wasSeen && to(value) === value))
            .map(to)
          const isExact = ending === 'done' && !step.shared.has(place)
          if (isExact && after.length === 0)
            throw new BrokenPromise('P1', `a step was acknowledged, but ${describe(place, before)}`)
          values.set(place, new Set(isExact ? after : [...before, ...after]))
          noteChange(place)
        }
    },
    set(place, value) {
      values.set(place, new Set([value]))
      noteChange(place)
    },
    observe(place, visible, reader) {
      const all = possible(place)
      const seen = [...all].filter((value) => visibleOf(value) === visible)
      if (seen.length === 0)
        throw new BrokenPromise(
          visible === nothing ? 'P1' : 'P1 or P2',
          `${reader} reads ${visible || 'nothing'}, but ${describe(place, all)}`,
        )
      values.set(place, new Set(seen))
      for (const { observed } of running) observed.add(place)
    },
  }
}

/** Returns the effect on a place, or on all places with the same beginning. */
function findEffect(effects: Effects, place: string): Effect | undefined {
  return effects.get(place) ?? effects.get(place.slice(0, place.lastIndexOf('/') + 1))
}

function describe(place: string, possible: ReadonlySet<string>): string {
  return `${place} can only be ${[...possible].map((value) => value || 'nothing').join(' or ')}`
}
