/** Lets the tasks of one key run one after the other, in the order in which they came. */

/** Runs `task` when every earlier task of `key` has ended, however it ended, and resolves or rejects as it does. */
export type KeyQueue = <Result>(key: string, task: () => Promise<Result>) => Promise<Result>

/** A queue that holds nothing of a key whose tasks have all ended. */
export function createKeyQueue(): KeyQueue {
  const tails = new Map<string, Promise<unknown>>()
  return async (key, task) => {
    const before = tails.get(key)
    const mine = before === undefined ? task() : before.then(task, task)
    tails.set(key, mine)
    try {
      return await mine
    } finally {
      if (tails.get(key) === mine) tails.delete(key)
    }
  }
}
