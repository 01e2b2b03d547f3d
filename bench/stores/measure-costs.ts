/** The CPU of calls to a store, beside those of its client by hand. */

import { median, medianRatio } from '../statistics.js'
import { fixed, verdict } from '../table.js'
import { measureRate, type Task } from './rows.js'

/** The same work by the store and by hand. */
export interface Pair {
  readonly name: string
  readonly count: number
  readonly store: Task
  readonly raw: Task
  /** False if `raw` is not the client of the store, so that the ratio has no goal. */
  readonly hasGoal?: boolean
}

/** The head of the rows of `measureCosts`. */
export const costHead = ['', 'CPU µs', 'by hand', '÷ by hand', 'goal', '']

const goal = 1.3

/** Measures each pair, in turns. Returns a row with its median costs, and their ratio. */
export async function measureCosts(
  pairs: readonly Pair[],
  rounds: number,
  workers: number,
): Promise<string[][]> {
  const rows: string[][] = []
  for (const pair of pairs) {
    const costs: Record<'store' | 'raw', number[]> = { store: [], raw: [] }
    for (let round = -2; round < rounds; round++) {
      for (const kind of ['store', 'raw'] as const) {
        const before = process.cpuUsage()
        await measureRate(pair.count, workers, pair[kind])
        const { user, system } = process.cpuUsage(before)
        if (round >= 0) costs[kind].push((user + system) / pair.count)
      }
    }
    const ratio = medianRatio(costs.store, costs.raw)
    const figures = [median(costs.store), median(costs.raw)].map((cost) => fixed(cost, 0))
    const cells = pair.hasGoal === false ? [] : [`<= ${fixed(goal)}`, verdict(ratio, goal)]
    rows.push([pair.name, ...figures, fixed(ratio), ...cells])
  }
  return rows
}
