/** Part 1: the operations in process on the memory store, beside their baselines. */

import type { BenchOptions, OperationName } from './bench-options.js'
import { type BenchProcess, startProcess } from './child-process.js'
import type { ContenderRequests, Slice } from './in-process/contender-process.js'
import { fixed, median, medianRatio, printTable, verdict } from './table.js'

interface Contender {
  readonly name: string
  readonly child: BenchProcess<ContenderRequests>
}

/** Microseconds of every round, by contender and slice. */
type Costs = ReadonlyMap<string, readonly number[]>

const goals: Readonly<Record<OperationName, number>> = {
  create: 1.4,
  replace: 1.3,
  patch: 1.3,
  file: 1.2,
}
const count = 10_000
const contenderProcess = new URL('./in-process/contender-process.ts', import.meta.url)

/** Measures every build. */
export async function benchInProcess(options: BenchOptions): Promise<void> {
  const { builds, operations, rounds = 5, profile } = options
  const contenders = [
    { name: 'baseline', args: [moduleUrl('baseline')] },
    ...builds.map(({ name, url }) => ({ name, args: [moduleUrl('cofferkit'), url] })),
  ].map(({ name, args }): Contender => {
    const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}/in-process-${name}`] : []
    return { name, child: startProcess<ContenderRequests>(contenderProcess, args, flags) }
  })
  try {
    const costs = await measure(contenders, operations, rounds)
    for (const { name } of builds) report(name, operations, costs)
  } finally {
    for (const { child } of contenders) await child.stop()
  }
}

function moduleUrl(name: string): string {
  return new URL(`./in-process/${name}.ts`, import.meta.url).href
}

async function measure(
  contenders: readonly Contender[],
  operations: readonly OperationName[],
  rounds: number,
): Promise<Costs> {
  for (const { child } of contenders) await child.request('verify')
  const slices = operations.flatMap((operation): Slice[] =>
    operation === 'create'
      ? [{ operation, mode: 'cold' }]
      : [
          { operation, mode: 'cold' },
          { operation, mode: 'warm' },
        ],
  )
  const costs = new Map<string, number[]>()
  for (let round = -2; round < rounds; round++) {
    for (const slice of slices) {
      for (const { name, child } of contenders) {
        const cost = await child.request('run', {
          ...slice,
          count: round < 0 ? 3 * count : count,
        })
        const key = `${name} ${slice.operation} ${slice.mode}`
        if (round >= 0) costs.set(key, [...(costs.get(key) ?? []), cost])
      }
    }
  }
  return costs
}

function report(name: string, operations: readonly OperationName[], costs: Costs): void {
  const rows = operations.map((operation) => {
    const find = (contender: string, mode: Slice['mode']): readonly number[] =>
      costs.get(`${contender} ${operation} ${mode}`) ?? []
    const [baseline, cold] = [find('baseline', 'cold'), find(name, 'cold')]
    const [warmBaseline, warm] = [find('baseline', 'warm'), find(name, 'warm')]
    const ratio = medianRatio(cold, baseline)
    return [
      operation,
      fixed(median(baseline), 1),
      fixed(median(cold), 1),
      fixed(ratio),
      `<= ${fixed(goals[operation], 1)}`,
      verdict(ratio, goals[operation]),
      ...(warm.length > 0
        ? [fixed(median(warm), 1), fixed(medianRatio(warm, warmBaseline))]
        : ['', '']),
    ]
  })
  const head = ['', 'baseline', name, 'ratio', 'goal', '', 'warm', 'ratio']
  printTable('In process, CPU µs of one operation; cold unless noted', [head, ...rows])
}
