/** Waits for a promise for a limited time. */

/** The longest delay of a timer, in milliseconds. A longer one fires at once. */
const maxTimerMs = 2 ** 31 - 1

/** Options of `withTimeout`. */
export interface TimeoutOptions {
  /**
   * Returns the time of `performance.now()` from which the timeout counts. It is called when the
   * timeout is over, which is extended if that time has moved. The time of the call if absent.
   */
  readonly idleSince?: (() => number) | undefined
  /** Converts the reason of a rejection. Called at most once. */
  readonly toError?: (reason: unknown) => Error
}

/**
 * Settles like `promise`, or rejects with the error that `createError` returns if `promise` has not
 * settled after `ms` milliseconds. The later outcome of `promise` is then ignored.
 *
 * @param ms Can be longer than a timer allows; Infinity means no timeout.
 */
export function withTimeout<Result>(
  promise: Promise<Result>,
  ms: number,
  createError: () => Error,
  { idleSince, toError }: TimeoutOptions = {},
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let isSettled = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const fail = (reason: unknown): void => {
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      reject(toError === undefined ? reason : toError(reason))
    }
    promise.then((result) => {
      isSettled = true
      clearTimeout(timer)
      resolve(result)
    }, fail)
    if (ms === Number.POSITIVE_INFINITY) return
    // A timer costs more than a call of a memory store, which has settled by then.
    queueMicrotask(() => {
      if (isSettled) return
      const onTimer = (): void => {
        const left = idleSince ? idleSince() + ms - performance.now() : 0
        if (left > 0) timer = setTimeout(onTimer, Math.min(left, maxTimerMs))
        else fail(createError())
      }
      timer = setTimeout(onTimer, Math.min(ms, maxTimerMs))
    })
  })
}
