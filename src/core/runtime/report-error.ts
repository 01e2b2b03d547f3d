/** Reports errors that no call rejects with to the operator. */

import type { ActivityUnavailableError, DecryptionError } from '../../errors.js'

/** An error that is passed to a service's option `onError`. */
export type ReportedError = DecryptionError | ActivityUnavailableError

/**
 * Creates the function that reports errors. It never throws.
 * @param onError - Errors that it throws or rejects with are ignored. By default the message is
 * printed with `console.error`.
 */
export function createErrorReporter(
  onError: ((error: ReportedError) => unknown) | undefined,
): (error: ReportedError) => void {
  return (error) => {
    if (onError === undefined) {
      // biome-ignore lint/suspicious/noConsole: otherwise the error would be lost.
      console.error(`cofferkit: ${error.name} ${error.code}: ${error.message}`)
    } else {
      new Promise((resolve) => resolve(onError(error))).catch(() => {})
    }
  }
}
