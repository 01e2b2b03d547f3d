/** The operations in process on the memory store, beside their baselines. */

import type { BenchOptions, OperationName, PartResults } from './bench-options.js'
import { startContender } from './in-process/start-contender.js'
import { median } from './statistics.js'
import { fixed, formatRange, verdict } from './table.js'
import {
  generationRatios,
  type ItemSet,
  listSlices,
  medianFigure,
  operationsOf,
  type Phase,
  type Runner,
  type Sample,
  takeTurns,
} from './take-turns.js'
import { listVariants, type Variant } from './variants.js'

const goals: Readonly<Partial<Record<OperationName, number>>> = {
  create: 1.4,
  replace: 1.3,
  patch: 1.2,
  file: 0.6,
}
const baseline = 'baseline' as const

/** Measures every build. */
export async function benchInProcess(options: BenchOptions): Promise<PartResults> {
  const { operations, isQuick, profile } = options
  const variants = await listVariants(options.builds)
  const slices = listSlices(operations)
  const samples = await takeTurns({
    title: 'in process',
    start: () =>
      Promise.all([baseline, ...variants].map((variant) => startRunner(variant, profile))),
    slices,
    generations: options.generations ?? (isQuick ? 2 : 5),
    rounds: options.rounds ?? 5,
    count: 1000,
    warmUp: isQuick ? 6000 : 16_000,
  })
  const names = variants.map(({ name }) => name)
  const createRows = (phase: Phase, items: ItemSet): string[][] => [
    ['', 'baseline, µs', 'measured, µs', 'ratio', 'of generations', 'goal', ''],
    ...names.flatMap((name) =>
      operationsOf(slices, items).map((operation) =>
        createRow(samples, name, { phase, items, operation }),
      ),
    ),
  ]
  const title = 'In process, CPU of one operation'
  return {
    tables: [
      { id: 'in-process', title: `${title}, warm`, rows: createRows('warm', 'all') },
      {
        id: 'in-process-few',
        title: `${title}, warm, the same 64 items`,
        rows: createRows('warm', 'few'),
      },
      {
        id: 'in-process-cold',
        title: `${title}, the first 1,000 of a process`,
        rows: createRows('cold', 'all'),
      },
    ],
  }
}

async function startRunner(
  variant: Variant | typeof baseline,
  profile: string | undefined,
): Promise<Runner> {
  const name = variant === baseline ? baseline : variant.name
  const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}/in-process-${name}`] : []
  const { request, stop } = startContender(variant, flags)
  await request('verify')
  return { name, run: (slice, count) => request('run', { ...slice, count }), stop }
}

function createRow(
  samples: readonly Sample[],
  name: string,
  slice: Pick<Sample, 'phase' | 'items' | 'operation'>,
): string[] {
  const selection = { ...slice, metric: 'cpu' } as const
  const ratios = generationRatios(samples, [name, baseline], selection)
  const ratio = median(ratios)
  const goal = slice.phase === 'warm' ? goals[slice.operation] : undefined
  return [
    `${name}: ${slice.operation}`,
    fixed(medianFigure(samples, baseline, selection), 1),
    fixed(medianFigure(samples, name, selection), 1),
    fixed(ratio),
    formatRange(ratios),
    ...(goal === undefined ? [] : [`<= ${goal}`, verdict(ratio, goal)]),
  ]
}
