/** Measures the cost of work: additional memory, CPU, and blocks of the event loop. */

import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The cost of a piece of work. */
export interface Cost {
  /** The most live bytes of the heap and of buffers, on top of those before the work. */
  readonly live: number
  /** The same with garbage that was not collected yet. */
  readonly withGarbage: number
  /**
   * The most milliseconds in which nothing else could run. Time of other processes does not count.
   */
  readonly block: number
  /** Milliseconds of CPU. */
  readonly cpu: number
}

setFlagsFromString('--expose-gc')
const runGarbageCollector: () => void = runInNewContext('gc')

const rounds = 3
/** Garbage is collected when memory has grown by this number of bytes. */
const bytesPerCollection = 16_777_216

/**
 * Runs the work once with garbage collected on the way, and three times without, of which the
 * median is taken.
 */
export async function measureCost(work: () => Promise<unknown>): Promise<Cost> {
  const { memory: live } = await watch(work, 'collected')
  const runs: Awaited<ReturnType<typeof watch>>[] = []
  for (let round = 0; round < rounds; round++) runs.push(await watch(work, 'counted'))
  const median = (figure: 'memory' | 'block' | 'cpu'): number =>
    runs.map((run) => run[figure]).sort((one, other) => one - other)[rounds >> 1] ?? 0
  return { live, withGarbage: median('memory'), block: median('block'), cpu: median('cpu') }
}

async function watch(
  work: () => Promise<unknown>,
  garbage: 'counted' | 'collected',
): Promise<{ readonly memory: number; readonly block: number; readonly cpu: number }> {
  await freeMemory()
  const start = process.cpuUsage()
  const before = usedMemory()
  let isDone = false
  let [memory, block, collected] = [0, 0, before]
  let last = now(start)
  const sample = async (): Promise<void> => {
    while (!isDone) {
      await new Promise(setImmediate)
      const next = now(start)
      block = Math.max(block, Math.min(next.clock - last.clock, next.cpu - last.cpu))
      if (garbage === 'collected' && usedMemory() > collected + bytesPerCollection) {
        await freeMemory()
        collected = usedMemory()
        memory = Math.max(memory, collected - before)
      } else if (garbage === 'counted') memory = Math.max(memory, usedMemory() - before)
      last = now(start)
    }
  }
  const sampling = sample()
  await work()
  isDone = true
  await sampling
  return { memory, block, cpu: last.cpu }
}

/** Waits after each collection, because buffers are freed later, in another thread. */
async function freeMemory(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    runGarbageCollector()
    await sleep(5)
  }
}

function usedMemory(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function now(start: NodeJS.CpuUsage): { readonly clock: number; readonly cpu: number } {
  const { user, system } = process.cpuUsage(start)
  return { clock: performance.now(), cpu: (user + system) / 1000 }
}
