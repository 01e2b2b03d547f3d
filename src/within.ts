/** Waits for something, but not for ever. */

/** The longest time that a timer takes; it would take a longer one for none. */
const longest = 2 ** 31 - 1

/** Settles as `work` does, or rejects with what `late` makes after so many milliseconds. */
export function within<Result>(
  milliseconds: number,
  work: Promise<Result>,
  late: () => Error,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), Math.min(milliseconds, longest))
    work.then(
      (result) => {
        clearTimeout(timer)
        resolve(result)
      },
      (error) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
