/** Runs the tasks of one key one after the other, in the order in which they were queued. */

import { StorageError } from '../../errors.js'

/**
 * Runs `task` when every earlier task of `key` has ended, however it ended, and settles as it does. It is called at once
 * if there is none.
 * @throws StorageError of 503 if the earlier tasks took too long; the task is not run then.
 */
export type KeyQueue = <Result>(key: string, task: () => Promise<Result>) => Promise<Result>

/**
 * Creates a queue, which forgets a key as soon as all of its tasks have ended. A task whose turn comes after more than
 * `maxWaitMs` milliseconds is rejected, so behind a store that hangs, a caller waits for one more task at most.
 */
export function createKeyQueue(maxWaitMs: number): KeyQueue {
  const pending = new Map<string, Promise<unknown>>()
  return (key, task) => {
    const previous = pending.get(key)
    const current = previous === undefined ? task() : runAfter(previous, task, maxWaitMs)
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
    throw new StorageError('earlier changes took too long', { code: 'STORAGE_UNAVAILABLE' })
  }
  return previous.then(run, run)
}
