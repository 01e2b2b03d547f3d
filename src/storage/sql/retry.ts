/** Retries statements that the server has rolled back. */

const maxAttempts = 10
const maxDelayMs = 250

/** Options of `retryStatement`. */
export interface StatementRetry {
  /** Returns true if the server has rolled back the entire statement. */
  canRetry(error: unknown): boolean
  /** Converts the error of the last attempt. */
  toError(error: unknown): unknown
  /** How long after the first attempt another one may begin, in milliseconds. Default: no limit. */
  readonly maxTotalMs?: number
}

/**
 * Returns the result of `run`. After an error for which `canRetry` returns true, `run` is called
 * again, at most ten times in all, after a random delay whose upper limit doubles each time, up to
 * 250 ms. After any other error the statement may have been executed, so it is never retried.
 */
export async function retryStatement<Result>(
  run: () => Promise<Result>,
  { canRetry, toError, maxTotalMs = Number.POSITIVE_INFINITY }: StatementRetry,
): Promise<Result> {
  let start = Number.NaN
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt === 1) start = performance.now()
      const isLate = performance.now() - start >= maxTotalMs
      if (attempt === maxAttempts || isLate || !canRetry(error)) throw toError(error)
    }
    const delay = Math.random() * Math.min(maxDelayMs, 4 * 2 ** attempt)
    await new Promise((resolve) => setTimeout(resolve, delay))
  }
}
