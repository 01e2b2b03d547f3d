/** Waits for something, but not for ever. */

/** The longest time that a timer takes; it would take a longer one for none. */
const longest = 2 ** 31 - 1

/** How `within` waits. */
export interface Waiting {
  /** The moment of `performance.now()` from which the time counts, asked when it is over; that of the call if absent. */
  readonly idleSince?: (() => number) | undefined
  /** Makes another reason of the one to reject with, once. */
  readonly failure?: (reason: unknown) => Error
}

/**
 * Settles as `work` does, or rejects with what `late` makes after so many milliseconds; never late for Infinity. What
 * `work` settles with after that is ignored.
 */
export function withTimeout<Result>(
  milliseconds: number,
  work: Promise<Result>,
  late: () => Error,
  { idleSince, failure }: Waiting = {},
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let isSettled = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const fail = (reason: unknown): void => {
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      reject(failure === undefined ? reason : failure(reason))
    }
    work.then((result) => {
      isSettled = true
      clearTimeout(timer)
      resolve(result)
    }, fail)
    if (milliseconds === Number.POSITIVE_INFINITY) return
    // A timer costs more than a call of a store in memory, which has settled by then.
    queueMicrotask(() => {
      if (isSettled) return
      const wait = (delay: number): void => {
        timer = setTimeout(
          () => {
            const left = idleSince ? idleSince() + milliseconds - performance.now() : 0
            if (left > 0) wait(left)
            else fail(late())
          },
          Math.min(delay, longest),
        )
      }
      wait(milliseconds)
    })
  })
}
