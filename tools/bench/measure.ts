/**
 * Measures contenders that take turns, slice by slice (A, B, C, A, B, C ...), in several
 * generations of processes. What slows down the machine for a while slows down all of them, and
 * what depends on how one process happened to start differs between generations.
 */

/**
 * The operations on an item: create, get, list a vault of 50 items, replace, patch, and the details
 * of a file with its content.
 */
export const operationNames = ['create', 'get', 'list', 'replace', 'patch', 'file'] as const

/** An operation that is measured. */
export type MethodName = (typeof operationNames)[number]

/** The cost of an operation in one slice. */
export interface Figures {
  /** CPU microseconds of the contender's process for one operation. */
  readonly cpu: number
  /** Operations per second. */
  readonly rate: number
}

/** A running process of a contender. */
export interface Runner {
  readonly name: string
  run(operation: MethodName, count: number): Promise<Figures>
  stop(): Promise<void>
}

/** The conditions of a measurement. */
export interface Turns {
  /** For messages on progress. */
  readonly title: string
  /** Starts one process of every contender. */
  readonly start: () => Promise<readonly Runner[]>
  readonly generations: number
  readonly rounds: number
  /** Operations in a slice; a tenth of it for `list`. */
  readonly count: number
  /** Slices of each operation before the first that counts. */
  readonly warmUpRounds: number
}

/** The figures of one slice. */
export interface Sample extends Figures {
  readonly contender: string
  readonly operation: MethodName
  readonly generation: number
}

/** Resolves with all samples, in the order of the rounds. */
export async function takeTurns(turns: Turns): Promise<readonly Sample[]> {
  const samples: Sample[] = []
  for (let generation = 1; generation <= turns.generations; generation++) {
    console.error(`${turns.title}: generation ${generation} of ${turns.generations}`)
    const runners = await turns.start()
    try {
      for (let round = -turns.warmUpRounds; round < turns.rounds; round++) {
        const figures = await runRound(runners, turns.count)
        if (round >= 0) samples.push(...figures.map((sample) => ({ ...sample, generation })))
      }
    } finally {
      await Promise.all(runners.map(({ stop }) => stop()))
    }
  }
  return samples
}

async function runRound(
  runners: readonly Runner[],
  count: number,
): Promise<readonly Omit<Sample, 'generation'>[]> {
  const samples: Omit<Sample, 'generation'>[] = []
  for (const operation of operationNames) {
    const calls = operation === 'list' ? Math.ceil(count / 10) : count
    for (const { name, run } of runners)
      samples.push({ contender: name, operation, ...(await run(operation, calls)) })
  }
  return samples
}

/** Returns the median of a contender over all rounds and generations. */
export function medianFigure(
  samples: readonly Sample[],
  contender: string,
  operation: MethodName,
  metric: keyof Figures,
): number {
  return median(select(samples, contender, operation).map((sample) => sample[metric]))
}

/**
 * Returns the ratio of one contender to another in each generation: the median over its rounds. The
 * ratio of the whole measurement is the median of these.
 */
export function generationRatios(
  samples: readonly Sample[],
  [measured, baseline]: readonly [string, string],
  operation: MethodName,
  metric: keyof Figures,
): readonly number[] {
  const generations = [...new Set(samples.map(({ generation }) => generation))]
  return generations.map((number) => {
    const within = samples.filter(({ generation }) => generation === number)
    const baselines = select(within, baseline, operation)
    return median(
      select(within, measured, operation).map(
        (sample, round) => sample[metric] / (baselines[round]?.[metric] ?? Number.NaN),
      ),
    )
  })
}

/** Returns the median; NaN for an empty list. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((left, right) => left - right)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

function select(
  samples: readonly Sample[],
  contender: string,
  operation: MethodName,
): readonly Sample[] {
  return samples.filter(
    (sample) => sample.contender === contender && sample.operation === operation,
  )
}
