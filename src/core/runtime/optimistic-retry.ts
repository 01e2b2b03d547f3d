/**
 * Retries an update while concurrent writers win, and queues the updates of one record in this
 * process.
 */

import {
  ConflictError,
  PreconditionFailedError,
  type ResourceType,
  StorageUnavailableError,
} from '../../errors.js'
import type { RecordKey } from '../../store.js'

const maxAttempts = 32
const maxDelayMs = 250

/**
 * Runs `attempt` until it resolves with a result. Undefined means that the store has refused the
 * write because a concurrent writer won. Only a refused write is retried, never one that failed.
 * Updates of one record wait for each other in this process, so that only other processes can win.
 * @returns The result of the last attempt.
 * @throws ConflictError after 32 attempts.
 */
export function withOptimisticRetry<Result>(
  { queue, stats }: { readonly queue: KeyQueue; readonly stats: { writeConflicts: number } },
  { collection, id }: RecordKey,
  resource: ResourceType,
  attempt: () => Promise<Result | undefined>,
): Promise<Result> {
  return queue(`${collection}/${id}`, async () => {
    for (let attempts = 1; ; attempts++) {
      const startedAt = performance.now()
      const result = await attempt()
      const durationMs = performance.now() - startedAt
      if (result !== undefined) {
        // The winner pauses too, so that the other processes get a turn.
        if (attempts > 1) await sleepWithJitter(durationMs * 12)
        return result
      }
      stats.writeConflicts += 1
      if (attempts === maxAttempts)
        throw new ConflictError(`${resource} ${id} has too many concurrent changes`)
      await sleepWithJitter(durationMs * 2 ** (attempts + 1))
    }
  })
}

/**
 * @throws PreconditionFailedError if a version is required and the item or vault has another one.
 */
export function assertVersion(
  { id, version }: { readonly id: string; readonly version: number },
  ifVersion: number | undefined,
  resource: ResourceType = 'item',
): void {
  if (ifVersion !== undefined && ifVersion !== version)
    throw new PreconditionFailedError(id, resource)
}

/** Resolves after a random time of at most `maxMs`, and of at most 250 ms. */
function sleepWithJitter(maxMs: number): Promise<void> {
  const delayMs = Math.random() * Math.min(maxDelayMs, maxMs)
  return new Promise((resolve) => setTimeout(resolve, delayMs))
}

/**
 * Runs `task` when every earlier task of `key` has settled, and settles as `task` does. The task is
 * called at once if no task of the key is pending.
 * @throws StorageUnavailableError (503) if the earlier tasks took too long; the task is not run
 * then.
 */
export type KeyQueue = <Result>(key: string, task: () => Promise<Result>) => Promise<Result>

/**
 * Creates a queue, which forgets a key as soon as all of its tasks have ended. A task whose turn
 * comes after more than `maxWaitMs` milliseconds is rejected, so behind a store that hangs, a
 * caller waits for one more task at most.
 */
export function createKeyQueue(maxWaitMs: number): KeyQueue {
  const pending = new Map<string, Promise<unknown>>()
  return (key, task) => {
    const previous = pending.get(key)
    let current: ReturnType<typeof task>
    try {
      current = previous === undefined ? task() : runAfter(previous, task, maxWaitMs)
    } catch (error) {
      current = Promise.reject(error)
    }
    pending.set(key, current)
    const forget = (): void => {
      if (pending.get(key) === current) pending.delete(key)
    }
    current.then(forget, forget)
    return current
  }
}

function runAfter<Result>(
  previous: Promise<unknown>,
  task: () => Promise<Result>,
  maxWaitMs: number,
): Promise<Result> {
  const queuedAt = performance.now()
  const run = (): Promise<Result> => {
    if (performance.now() - queuedAt <= maxWaitMs) return task()
    throw new StorageUnavailableError('earlier changes took too long')
  }
  return previous.then(run, run)
}
