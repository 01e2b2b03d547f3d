/** Lets the tasks of one key run one after the other, in the order in which they came. */

import { StorageUnavailableError } from '../../errors.js'

/**
 * Runs `task` when every earlier task of `key` has ended, however it ended, and resolves or rejects as it does.
 * @throws StorageError of 503 if the earlier tasks took too long; the task is not run then.
 */
export type KeyQueue = <Result>(key: string, task: () => Promise<Result>) => Promise<Result>

/**
 * A queue that holds nothing of a key whose tasks have all ended. A task whose turn comes after more than `maxWaitMs`
 * milliseconds is refused: a caller behind a store that hangs waits for one more task at most.
 */
export function createKeyQueue(maxWaitMs: number): KeyQueue {
  const tails = new Map<string, Promise<unknown>>()
  return async (key, task) => {
    const before = tails.get(key)
    const mine = before === undefined ? task() : following(before, task, maxWaitMs)
    tails.set(key, mine)
    try {
      return await mine
    } finally {
      if (tails.get(key) === mine) tails.delete(key)
    }
  }
}

function following<Result>(
  before: Promise<unknown>,
  task: () => Promise<Result>,
  maxWaitMs: number,
): Promise<Result> {
  const since = performance.now()
  const begin = (): Promise<Result> => {
    if (performance.now() - since <= maxWaitMs) return task()
    throw new StorageUnavailableError('earlier changes took too long')
  }
  return before.then(begin, begin)
}
