/** Waits for something, but not for ever. */

/** Settles as `work` does, or rejects with what `late` makes after so many milliseconds. */
export function within<Result>(milliseconds: number, work: Promise<Result>, late: () => Error): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), milliseconds)
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
