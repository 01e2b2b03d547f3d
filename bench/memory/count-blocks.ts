/**
 * Counts the blocks of code that run: how often each function, branch and loop body is entered, by
 * V8's precise coverage. The number grows with the work as that of instructions does, which most
 * containers cannot count, and is the same in each run.
 *
 * It is loaded with Node's `--import`, because only code that is compiled later is counted.
 */

import { Session } from 'node:inspector/promises'

const ownCode = new URL('../', import.meta.url).href
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

/**
 * Resolves with the blocks that ran since the last call, or since the start, in all code but that
 * of Node and the bench.
 */
export async function takeBlocks(): Promise<number> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const scripts = result.filter(({ url }) => !url.startsWith('node:') && !url.startsWith(ownCode))
  const ranges = scripts.flatMap(({ functions }) => functions).flatMap(({ ranges }) => ranges)
  return ranges.reduce((sum, { count }) => sum + count, 0)
}
