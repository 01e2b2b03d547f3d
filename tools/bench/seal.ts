/**
 * Sealing and opening a value, beside AES-256-GCM by hand with `node:crypto`, and that beside itself.
 *
 * V8 frees the memory of short-lived buffers on a thread of its own, which can compete with the main
 * thread for the lock of `malloc`. So the same is measured without that thread as well.
 */

import { type BenchProcess, startProcess } from './child-process.js'
import { median } from './measure.js'
import type { BenchOptions } from './run.js'
import type { SealRequests } from './seal/contender-process.js'
import { fixed, type Table } from './table.js'

const lengths = [40, 2000]
const flags = [[], ['--no-concurrent-array-buffer-sweeping']]
const count = 2000
const warmUpRounds = 3

/** CPU microseconds of one value. */
interface Costs {
  readonly cofferkit: number
  readonly byHand: number
  readonly control: number
}

/** Measures the first build. */
export async function benchSeal(options: BenchOptions): Promise<readonly Table[]> {
  const { builds, generations = 5, rounds = 7 } = options
  const found = flags.flatMap((flags) =>
    lengths.map((length) => ({ flags, length, generations: [] as Costs[] })),
  )
  for (let generation = 0; generation < generations; generation++)
    for (const row of found)
      row.generations.push(await measureGeneration(builds[0].url, row, rounds))
  const rows = found.map(({ flags, length, generations }) => [
    [`${length} characters`, ...flags].join(' '),
    fixed(median(generations.map(({ cofferkit }) => cofferkit)), 1),
    fixed(median(generations.map(({ byHand }) => byHand)), 1),
    fixed(median(generations.map(({ cofferkit, byHand }) => cofferkit / byHand))),
    fixed(median(generations.map(({ control, byHand }) => control / byHand))),
  ])
  const head = ['', 'cofferkit', 'by hand', 'cofferkit ÷ by hand', 'by hand ÷ by hand']
  return [{ id: 'seal', title: 'CPU µs to seal and open a value', rows: [head, ...rows] }]
}

async function measureGeneration(
  url: string,
  { flags, length }: { readonly flags: readonly string[]; readonly length: number },
  rounds: number,
): Promise<Costs> {
  const start = (...args: readonly string[]) =>
    startProcess<SealRequests>(contenderProcess, args, flags)
  const processes = [start(url), start(), start()] as const
  try {
    return await takeTurns(processes, { length, rounds })
  } finally {
    await Promise.all(processes.map(({ stop }) => stop()))
  }
}

const contenderProcess = new URL('./seal/contender-process.ts', import.meta.url)

/** Resolves with the medians of the rounds, in which the processes take turns. */
async function takeTurns(
  [cofferkit, byHand, control]: readonly [
    BenchProcess<SealRequests>,
    BenchProcess<SealRequests>,
    BenchProcess<SealRequests>,
  ],
  { length, rounds }: { readonly length: number; readonly rounds: number },
): Promise<Costs> {
  const costs: Costs[] = []
  for (let round = -warmUpRounds; round < rounds; round++) {
    const slice = { length, count }
    const cost = {
      cofferkit: await cofferkit.request('measure', slice),
      byHand: await byHand.request('measure', slice),
      control: await control.request('measure', slice),
    }
    if (round >= 0) costs.push(cost)
  }
  return {
    cofferkit: median(costs.map((cost) => cost.cofferkit)),
    byHand: median(costs.map((cost) => cost.byHand)),
    control: median(costs.map((cost) => cost.control)),
  }
}
