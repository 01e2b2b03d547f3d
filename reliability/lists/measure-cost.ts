/** Measures what a piece of work costs the process: memory on top of what it held before, and blocks of the event loop. */

import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The cost of a piece of work. */
export interface Cost {
  /** Bytes of the heap and of buffers that the work held, at most. */
  readonly held: number
  /** The same with the garbage that was not collected yet. */
  readonly withGarbage: number
  /** Milliseconds in which nothing else could run, at most. Time that other processes took does not count. */
  readonly block: number
  /** Milliseconds of CPU. */
  readonly cpu: number
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const rounds = 3
/** Garbage is collected when memory has grown by so much. */
const growth = 16_777_216

/** Runs the work several times undisturbed, of which the median is taken, and once with garbage collected on the way. */
export async function measureCost(work: () => Promise<unknown>): Promise<Cost> {
  const { memory: held } = await watch(work, 'collected')
  const runs: Awaited<ReturnType<typeof watch>>[] = []
  for (let round = 0; round < rounds; round++) runs.push(await watch(work, 'counted'))
  const median = (figure: 'memory' | 'block' | 'cpu'): number =>
    runs.map((run) => run[figure]).sort((one, other) => one - other)[rounds >> 1] ?? 0
  return { held, withGarbage: median('memory'), block: median('block'), cpu: median('cpu') }
}

async function watch(
  work: () => Promise<unknown>,
  garbage: 'counted' | 'collected',
): Promise<{ readonly memory: number; readonly block: number; readonly cpu: number }> {
  await settle()
  const start = process.cpuUsage()
  const before = memoryOf()
  let isOver = false
  let [memory, block, collected] = [0, 0, before]
  let last = now(start)
  const look = async (): Promise<void> => {
    while (!isOver) {
      await new Promise(setImmediate)
      const next = now(start)
      block = Math.max(block, Math.min(next.clock - last.clock, next.cpu - last.cpu))
      if (garbage === 'collected' && memoryOf() > collected + growth) {
        await settle()
        collected = memoryOf()
        memory = Math.max(memory, collected - before)
      } else if (garbage === 'counted') memory = Math.max(memory, memoryOf() - before)
      last = now(start)
    }
  }
  const looking = look()
  await work()
  isOver = true
  await looking
  return { memory, block, cpu: last.cpu }
}

/** Buffers are freed by another thread, some time after they were found to be garbage. */
async function settle(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    collectGarbage()
    await pause(5)
  }
}

function memoryOf(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function now(start: NodeJS.CpuUsage): { readonly clock: number; readonly cpu: number } {
  const { user, system } = process.cpuUsage(start)
  return { clock: performance.now(), cpu: (user + system) / 1000 }
}
