/** Lets the changes of one record take turns in this process. */

import { StorageUnavailableError } from '../../errors.js'
import type { RecordKey } from '../../store.js'

/** The turns of any number of keys. */
export interface KeyQueue {
  /**
   * Begins a turn, which the caller must end with `leave`.
   * @returns Undefined if the turn has begun; otherwise a promise that resolves when all earlier
   * turns of the key have ended. It rejects with StorageUnavailableError (503) if they took too
   * long; the caller has no turn then and must not call `leave`.
   */
  enter(key: string): Promise<void> | undefined
  /** Ends the current turn of the key. */
  leave(key: string): void
}

/** Begins a turn. Returns false if the caller has waited too long. */
type Waiter = () => boolean

/**
 * Creates a queue, which forgets a key as soon as all of its turns have ended. A caller whose turn
 * comes after more than `maxWaitMs` milliseconds is rejected, so behind a store that hangs, it waits
 * for one more change at most.
 *
 * Without waiting callers, a turn costs one entry in a map. A promise for each would take a
 * twentieth of a create.
 */
export function createKeyQueue(maxWaitMs: number): KeyQueue {
  /** The callers that wait for each key whose turn has begun; undefined if there are none. */
  const waitersByKey = new Map<string, Waiter[] | undefined>()
  return {
    enter(key) {
      if (!waitersByKey.has(key)) {
        waitersByKey.set(key, undefined)
        return undefined
      }
      const waiters = waitersByKey.get(key) ?? []
      waitersByKey.set(key, waiters)
      const enteredAt = performance.now()
      return new Promise((resolve, reject) => {
        waiters.push(() => {
          const isInTime = performance.now() - enteredAt <= maxWaitMs
          if (isInTime) resolve()
          else reject(new StorageUnavailableError('earlier changes took too long'))
          return isInTime
        })
      })
    },
    leave(key) {
      const waiters = waitersByKey.get(key) ?? []
      for (let next = waiters.shift(); next !== undefined; next = waiters.shift())
        if (next()) return
      waitersByKey.delete(key)
    },
  }
}

/** Returns the key of a record in a queue. */
export function queueKey({ collection, id }: RecordKey): string {
  return `${collection}/${id}`
}
