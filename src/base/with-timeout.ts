/** Waits for a promise for a limited time. */

/** The longest delay of a timer, in milliseconds. A longer one fires at once. */
export const maxTimerMs = 2 ** 31 - 1

/** A reaction to it runs after those of promises that have settled before. */
const settled = Promise.resolve()

/** Options of `withTimeout`. */
export interface TimeoutOptions<Result = unknown> {
  /**
   * Returns the time of `performance.now()` from which the timeout counts. It is called when the
   * timeout is over. If the time has moved, the timeout is extended. By default the timeout counts
   * from the call of `withTimeout`.
   */
  readonly idleSince?: (() => number) | undefined
  /** Converts the reason of a rejection. Called at most once. */
  readonly toError?: (reason: unknown) => Error
  /** Called with a result that arrives after the timeout. Must not throw. */
  readonly onLate?: (result: Result) => void
}

/**
 * Settles like `promise`, or rejects with the error that `createError` returns if `promise` has not
 * settled after `ms` milliseconds. The later outcome of `promise` is then ignored.
 *
 * @param ms May be longer than a timer allows. Infinity means no timeout.
 */
export function withTimeout<Result>(
  promise: Promise<Result>,
  ms: number,
  createError: () => Error,
  { idleSince, toError, onLate }: TimeoutOptions<Result> = {},
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
      if (isSettled) return onLate?.(result)
      isSettled = true
      clearTimeout(timer)
      resolve(result)
    }, fail)
    if (ms === Number.POSITIVE_INFINITY) return
    // A timer costs more than a call of a memory store, which has settled by then. In Node,
    // `queueMicrotask` would create an AsyncResource.
    settled.then(() => {
      if (isSettled) return
      let remainingMs = ms
      const onTimer = (): void => {
        if (idleSince === undefined) remainingMs -= maxTimerMs
        else remainingMs = idleSince() + ms - performance.now()
        if (remainingMs > 0) timer = setTimeout(onTimer, Math.min(remainingMs, maxTimerMs))
        else fail(createError())
      }
      timer = setTimeout(onTimer, Math.min(ms, maxTimerMs))
    })
  })
}
