/** Reports errors to the embedder: to `onError`, or on the console. */

import { framesOf, redactError } from '../base/redact-error.js'
import { isVaultError } from '../errors.js'
import type { HttpRequest } from './message.js'

/**
 * Calls `onError`, or prints the error if there is none. An error that `onError` throws does not
 * change the response.
 * @param requestId The id of the response.
 */
export function reportError(
  options: {
    readonly onError:
      | ((error: unknown, request: HttpRequest, requestId: string) => void)
      | undefined
  },
  error: unknown,
  request: HttpRequest,
  requestId: string,
): void {
  if (options.onError === undefined) {
    // biome-ignore lint/suspicious/noConsole: otherwise the error would be lost.
    console.error(`cofferkit: request ${requestId}: ${describeError(error)}`)
    return
  }
  Promise.resolve()
    .then(() => options.onError?.(error, request, requestId))
    .catch(() => {})
}

/**
 * Describes an error with its causes, but without the messages of foreign errors, because they may
 * contain secrets.
 */
function describeError(error: unknown): string {
  const isOwn = isVaultError(error)
  const { message } = isOwn ? error : redactError(error)
  const title = isOwn ? `${error.name} ${error.code}: ${message}` : message
  const cause = isOwn && error.cause !== undefined ? `caused by ${describeError(error.cause)}` : ''
  return [title, framesOf(error), cause].filter((part) => part !== '').join('\n')
}
