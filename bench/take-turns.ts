/**
 * Measures contenders that take turns, slice by slice (A, B, C, A, B, C ...), in several
 * generations of processes. What slows down the machine for a while slows down all of them, and
 * what depends on how one process happened to start differs between generations.
 */

import { mainOperations, type OperationName } from './bench-options.js'
import { geometricMean, median, medianRatio } from './statistics.js'

/** The items that requests are for: all of them in turn, or the same few. */
export type ItemSet = 'all' | 'few'

/** A part of a round: one operation. */
export interface Slice {
  readonly operation: OperationName
  readonly items: ItemSet
}

/** The results of a slice. */
export interface SliceFigures {
  /** CPU microseconds of one operation. */
  readonly cpu: number
  /** Operations per second. */
  readonly rate: number
}

/** A running process of a contender. */
export interface Runner {
  readonly name: string
  run(slice: Slice, count: number): Promise<SliceFigures>
  stop(): Promise<void>
}

/** The conditions of a measurement. */
export interface Turns {
  /** The part, for messages on progress. */
  readonly title: string
  /** Starts one process of every contender. */
  readonly start: () => Promise<readonly Runner[]>
  readonly slices: readonly Slice[]
  readonly generations: number
  readonly rounds: number
  /** Operations in a slice. */
  readonly count: number
  /** How often each process runs each operation before the first warm slice. */
  readonly warmUp: number
}

/** *Cold* is the first slice of an operation in a process, *warm* each one after the warm-up. */
export type Phase = 'cold' | 'warm'

/** The figures of one slice of one contender. */
export interface Sample extends Slice, SliceFigures {
  readonly contender: string
  readonly phase: Phase
  readonly generation: number
}

/** Every operation on all items, and those of the means that read an item also on a few. */
export function listSlices(operations: readonly OperationName[]): readonly Slice[] {
  const reading = mainOperations.filter((operation) => operation !== 'create')
  const few = reading.filter((operation) => operations.includes(operation))
  return [
    ...operations.map((operation): Slice => ({ operation, items: 'all' })),
    ...few.map((operation): Slice => ({ operation, items: 'few' })),
  ]
}

/** The operations of the slices on a set of items. */
export function operationsOf(slices: readonly Slice[], items: ItemSet): readonly OperationName[] {
  return slices.filter((slice) => slice.items === items).map(({ operation }) => operation)
}

/** Resolves with all samples, in the order of the rounds. */
export async function takeTurns(turns: Turns): Promise<readonly Sample[]> {
  const samples: Sample[] = []
  for (let generation = 1; generation <= turns.generations; generation++) {
    console.error(`${turns.title}: generation ${generation} of ${turns.generations}`)
    const runners = await turns.start()
    try {
      samples.push(...(await measureGeneration(turns, runners, generation)))
    } finally {
      await Promise.all(runners.map(({ stop }) => stop()))
    }
  }
  return samples
}

async function measureGeneration(
  { slices, rounds, count, warmUp }: Turns,
  runners: readonly Runner[],
  generation: number,
): Promise<readonly Sample[]> {
  const measureRound = async (
    phase: Phase,
    round: readonly Slice[],
  ): Promise<readonly Sample[]> => {
    const samples: Sample[] = []
    for (const slice of round) {
      for (const { name, run } of runners) {
        const figures = await run(slice, count)
        samples.push({ contender: name, phase, generation, ...slice, ...figures })
      }
    }
    return samples
  }
  const first = slices.filter(({ items }) => items === 'all')
  const cold = await measureRound('cold', first)
  for (let done = count; done < warmUp; done += count) await measureRound('warm', first)
  const warm: Sample[] = []
  for (let round = 0; round < rounds; round++) warm.push(...(await measureRound('warm', slices)))
  return [...cold, ...warm]
}

/** Selects samples. A creation counts as one for any set of items. */
export interface Selection {
  readonly phase: Phase
  readonly items: ItemSet
  readonly operation: OperationName
  readonly metric: keyof SliceFigures
}

/** The median of a contender over all rounds and generations; NaN if it has no such sample. */
export function medianFigure(
  samples: readonly Sample[],
  contender: string,
  selection: Selection,
): number {
  return median(select(samples, contender, selection).map((sample) => sample[selection.metric]))
}

/** The ratio of one contender to another in each generation: the median over its rounds. */
export function generationRatios(
  samples: readonly Sample[],
  [measured, baseline]: readonly [string, string],
  selection: Selection,
): readonly number[] {
  const generations = [...new Set(samples.map(({ generation }) => generation))]
  return generations.map((generation) => {
    const inGeneration = samples.filter((sample) => sample.generation === generation)
    const figures = (contender: string): readonly number[] =>
      select(inGeneration, contender, selection).map((sample) => sample[selection.metric])
    return medianRatio(figures(measured), figures(baseline))
  })
}

/** The geometric mean of several operations' ratios, in each generation. */
export function generationMeans(ratios: readonly (readonly number[])[]): readonly number[] {
  const [first = []] = ratios
  return first.map((_, generation) =>
    geometricMean(ratios.map((ratio) => ratio[generation] ?? Number.NaN)),
  )
}

function select(
  samples: readonly Sample[],
  contender: string,
  { phase, items, operation }: Selection,
): readonly Sample[] {
  const wanted = operation === 'create' ? 'all' : items
  return samples.filter(
    (sample) =>
      sample.contender === contender &&
      sample.phase === phase &&
      sample.items === wanted &&
      sample.operation === operation,
  )
}
