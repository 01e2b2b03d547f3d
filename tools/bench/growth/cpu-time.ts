/** CPU time of calls that take turns. */

import { median } from '../measure.js'

/** A call that is measured. */
export type MeasuredCall = () => Promise<unknown>

/**
 * Resolves with the median CPU microseconds of each call. The calls take turns, round by round. The
 * first two rounds warm up.
 */
export async function measureCpu(
  calls: readonly MeasuredCall[],
  count: number,
  rounds: number,
): Promise<readonly number[]> {
  const costs = calls.map((call): [MeasuredCall, number[]] => [call, []])
  for (let round = -2; round < rounds; round++) {
    for (const [call, figures] of costs) {
      const before = process.cpuUsage()
      for (let index = 0; index < count; index++) await call()
      const { user, system } = process.cpuUsage(before)
      if (round >= 0) figures.push((user + system) / count)
    }
  }
  return costs.map(([, figures]) => median(figures))
}
