/** Counts the bytes and the blocks of each operation of a process. */

import type { OperationName } from '../bench-options.js'
import type { BenchProcess } from '../child-process.js'
import { startServer } from '../http/start-server.js'
import { startContender } from '../in-process/start-contender.js'
import { median } from '../statistics.js'
import type { Variant } from '../variants.js'
import type { CounterRequests } from './counters.js'

/** A process whose operations are counted. */
export interface CountedProcess {
  readonly child: Pick<BenchProcess<CounterRequests>, 'request'>
  send(operation: OperationName, count: number): Promise<unknown>
  stop(): Promise<void>
}

/** A count of each operation. */
export type Counts = Readonly<Partial<Record<OperationName, number>>>

const count = 500

/** Starts a process that calls operations itself. */
export async function startCountedContender(
  variant: Variant | 'baseline',
  flags: readonly string[],
): Promise<CountedProcess> {
  const child = startContender(variant, flags)
  await child.request('verify')
  const send: CountedProcess['send'] = (operation, calls) =>
    child.request('run', { operation, items: 'all', count: calls })
  return { child, send, stop: child.stop }
}

/** Starts a server with one connection, on which chunks arrive in the same way in each run. */
export async function startCountedServer(
  server: Variant | string,
  flags: readonly string[],
): Promise<CountedProcess> {
  const { child, send, stop } = await startServer({ server, flags, connectionCount: 1 })
  return {
    child,
    send: (operation, calls) => send({ operation, items: 'all' }, calls),
    stop,
  }
}

/** Sends this many operations, in turns. */
export async function warmUp(
  { send }: CountedProcess,
  operations: readonly OperationName[],
  total: number,
): Promise<void> {
  for (let done = 0; done < total; done += operations.length * count)
    for (const operation of operations) await send(operation, count)
}

/** Resolves with the bytes that each operation allocates, the median of five counts. */
export function countBytes(
  { child, send }: CountedProcess,
  operations: readonly OperationName[],
): Promise<Counts> {
  return countEach(operations, async (operation) => {
    const counted: number[] = []
    for (let round = 0; round < 5; round++) {
      const before = await child.request('startBytes')
      await send(operation, count)
      counted.push(((await child.request('bytesInUse')) - before) / count)
    }
    return median(counted)
  })
}

/** Resolves with the blocks that each operation runs. */
export function countBlocks(
  { child, send }: CountedProcess,
  operations: readonly OperationName[],
): Promise<Counts> {
  return countEach(operations, async (operation) => {
    await child.request('takeBlocks')
    await send(operation, count)
    return (await child.request('takeBlocks')) / count
  })
}

async function countEach(
  operations: readonly OperationName[],
  measure: (operation: OperationName) => Promise<number>,
): Promise<Counts> {
  const counts: [OperationName, number][] = []
  for (const operation of operations) counts.push([operation, await measure(operation)])
  return Object.fromEntries(counts)
}
