/** Waits for something, but not for ever. */

/** The longest time that a timer takes; it would take a longer one for none. */
const longest = 2 ** 31 - 1

/**
 * Settles as `work` does, or rejects with what `late` makes after so many milliseconds; never late for Infinity. With
 * `idleSince` the time counts from the moment of `performance.now()` that it returns each time it is called. What `work`
 * settles with after that is ignored.
 */
export function within<Result>(
  milliseconds: number,
  work: Promise<Result>,
  late: () => Error,
  idleSince?: () => number,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let isSettled = false
    let timer: ReturnType<typeof setTimeout> | undefined
    work.then(
      (result) => {
        isSettled = true
        clearTimeout(timer)
        resolve(result)
      },
      (error) => {
        isSettled = true
        clearTimeout(timer)
        reject(error)
      },
    )
    if (milliseconds === Number.POSITIVE_INFINITY) return
    // A timer costs more than a call of a store in memory, whose work is done by then.
    Promise.resolve().then(() => {
      if (isSettled) return
      const wait = (delay: number): void => {
        timer = setTimeout(
          () => {
            const left = idleSince ? idleSince() + milliseconds - performance.now() : 0
            if (left > 0) wait(left)
            else reject(late())
          },
          Math.min(delay, longest),
        )
      }
      wait(milliseconds)
    })
  })
}
