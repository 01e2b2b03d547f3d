/**
 * Retries an update while concurrent writers win, and queues the updates of one record in this
 * process.
 */

import { callback, limit } from '../../base/argument.js'
import { preconditionFailedError } from '../../base/fixed-errors.js'
import { defineOptions, type OptionKinds, type OptionValues, optional } from '../../base/options.js'
import { ConflictError, type ResourceType, StorageUnavailableError } from '../../errors.js'
import type { RecordKey } from '../../store.js'

const maxDelayMs = 250

/** How often, and for how long, a write that lost against a concurrent writer is retried. */
export interface RetryOptions {
  /**
   * The maximum number of attempts, including the first one: 1 or more, or Infinity for no limit.
   * Default: 32.
   */
  readonly maxAttempts?: number | undefined
  /**
   * How long after the first refused write another attempt may begin, in milliseconds: 0 or more,
   * or Infinity for no limit. Default: 2,000.
   */
  readonly maxTotalMs?: number | undefined
  /**
   * Resolves after this number of milliseconds, 0 to 250. It is called between two attempts, and
   * after a success that took more than one attempt. If it rejects between two attempts, the call
   * rejects with that reason. Default: the platform's timers.
   */
  readonly sleep?: ((ms: number) => Promise<unknown>) | undefined
}

/** The definition of {@link RetryOptions}. */
export const retryOptions = defineOptions({
  maxAttempts: optional(limit({ min: 1 }), 32),
  maxTotalMs: optional(limit({ min: 0 }), 2000),
  sleep: optional(callback(), (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))),
} satisfies OptionKinds<RetryOptions>)

/**
 * Runs `attempt` until it resolves with a result. Undefined means that the store has refused the
 * write because a concurrent writer won. Only a refused write is retried, never one that failed.
 * Updates of one record wait for each other in this process, so that only other processes can win.
 * @returns The result of the last attempt.
 * @throws ConflictError if the store has refused the last attempt that the options permit.
 */
export type OptimisticRetry = <Result>(
  key: RecordKey,
  resource: ResourceType,
  attempt: () => Promise<Result | undefined>,
) => Promise<Result>

/**
 * Creates the function that retries.
 * @param queue - The turns of the updates.
 * @param onConflict - Called after each refused write.
 */
export function createOptimisticRetry(
  queue: KeyQueue,
  onConflict: () => void,
  { maxAttempts, maxTotalMs, sleep }: OptionValues<typeof retryOptions.kinds>,
): OptimisticRetry {
  return (key, resource, attempt) =>
    runInTurn(queue, key, async () => {
      // The first attempt is not limited, because deleting a vault may take minutes.
      let endsAt: number | undefined
      for (let attempts = 1; ; attempts++) {
        const startedAt = performance.now()
        const result = await attempt()
        const now = performance.now()
        const durationMs = now - startedAt
        if (result !== undefined) {
          // The winner pauses as well, so that the other processes get a turn.
          try {
            if (attempts > 1) await sleep(jitter(durationMs * 12))
          } catch {
            // The write is done, so an error in the pause must not make it fail.
          }
          return result
        }
        onConflict()
        endsAt ??= now + maxTotalMs
        const delayMs = jitter(durationMs * 2 ** (attempts + 1))
        const isLast = attempts >= maxAttempts || now + delayMs > endsAt
        if (!isLast) await sleep(delayMs)
        // A pause may take longer than it should.
        if (isLast || performance.now() > endsAt)
          throw new ConflictError(`${resource} ${key.id} has too many concurrent changes`)
      }
    })
}

/**
 * @throws PreconditionFailedError if a version is required and the item or vault has a different
 * one.
 */
export function assertVersion(
  { id, version }: { readonly id: string; readonly version: number },
  ifVersion: number | undefined,
  resource: ResourceType = 'item',
): void {
  if (ifVersion !== undefined && ifVersion !== version) throw preconditionFailedError(resource, id)
}

/** Returns a random time in milliseconds, of at most `maxMs` and at most 250. */
function jitter(maxMs: number): number {
  return Math.random() * Math.min(maxDelayMs, maxMs)
}

/** For each key, a queue of callers that take turns. */
export interface KeyQueue {
  /**
   * Begins a turn, which the caller must end with `leave`.
   * @returns Undefined if the turn has begun. Otherwise a promise that resolves when all earlier
   * turns of the key have ended. If they take too long, it rejects with StorageUnavailableError
   * (503). The caller then has no turn and must not call `leave`.
   */
  enter(key: string): Promise<void> | undefined
  /** Ends the current turn of the key. */
  leave(key: string): void
}

/**
 * Runs `work` when all earlier work on the record has ended, and returns its result.
 * @throws StorageUnavailableError (503) if the earlier work takes too long.
 */
export async function runInTurn<Result>(
  queue: KeyQueue,
  { collection, id }: RecordKey,
  work: () => Promise<Result>,
): Promise<Result> {
  const key = `${collection}/${id}`
  await queue.enter(key)
  try {
    return await work()
  } finally {
    queue.leave(key)
  }
}

/** Begins a turn. Returns false if the caller has waited too long. */
type Waiter = () => boolean

/**
 * Creates a queue. It forgets a key as soon as all of its turns have ended. A caller whose turn
 * comes after more than `maxWaitMs` milliseconds is rejected, so if the store hangs, it waits for
 * at most one more change. If nobody waits, a turn costs only one entry in a map. A promise for
 * each would take a twentieth of a create.
 */
export function createKeyQueue(maxWaitMs: number): KeyQueue {
  /** The waiting callers, for each key whose turn has begun. Undefined if no caller waits. */
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
