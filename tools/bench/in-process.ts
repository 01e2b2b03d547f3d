/** The operations in process on the memory store, plain and encrypted, beside their baselines. */

import { startProcess } from './child-process.js'
import type { ContenderRequests } from './in-process/contender-process.js'
import {
  generationRatios,
  median,
  medianFigure,
  operationNames,
  type Runner,
  takeTurns,
} from './measure.js'
import type { BenchOptions } from './run.js'
import { fixed, type Table } from './table.js'

const baseline = 'baseline'

/** Measures every build. */
export async function benchInProcess(options: BenchOptions): Promise<readonly Table[]> {
  const { builds, generations = 3, rounds = 5 } = options
  const contenders = builds.flatMap(({ name, url }) => [
    { name, args: [moduleUrl('cofferkit'), url, 'plain'] },
    { name: `${name}, encrypted`, args: [moduleUrl('cofferkit'), url, 'encrypted'] },
  ])
  const samples = await takeTurns({
    title: 'in process',
    start: () =>
      Promise.all([
        startRunner(baseline, [moduleUrl('baseline')]),
        ...contenders.map(({ name, args }) => startRunner(name, args)),
      ]),
    generations,
    rounds,
    count: 1000,
    warmUpRounds: 8,
  })
  const names = contenders.map(({ name }) => name)
  const rows = operationNames.map((operation) => [
    operation,
    ...[baseline, ...names].map((name) => fixed(medianFigure(samples, name, operation, 'cpu'), 1)),
    ...names.map((name) =>
      fixed(median(generationRatios(samples, [name, baseline], operation, 'cpu'))),
    ),
  ])
  const head = ['', baseline, ...names, ...names.map((name) => `${name} ÷ baseline`)]
  const title = 'In process, CPU µs of one operation'
  return [{ id: 'in-process', title, rows: [head, ...rows] }]
}

async function startRunner(name: string, args: readonly string[]): Promise<Runner> {
  const { request, stop } = startProcess<ContenderRequests>(contenderProcess, args)
  await request('verify')
  return { name, run: (operation, count) => request('run', { operation, count }), stop }
}

const contenderProcess = new URL('./in-process/contender-process.ts', import.meta.url)

function moduleUrl(name: string): string {
  return new URL(`./in-process/${name}.ts`, import.meta.url).href
}
