/** Removes from an error everything that can contain a secret. */

import { safeGet } from './safe-get.js'

/**
 * Returns a new error whose message is the name and the code of `error`, for use as a `cause`.
 * Messages of libraries can quote a secret, and database drivers put rows into theirs. Of name and
 * code, each is kept only if it consists of 1 to 60 letters, digits and underscores. The message is
 * `unknown error` if neither is kept.
 *
 * @param error Any value that was thrown.
 */
export function redactError(error: unknown): Error {
  const words = [safeGet(error, 'name'), safeGet(error, 'code')].filter(
    (word) => typeof word === 'string' && /^[A-Za-z0-9_]{1,60}$/.test(word),
  )
  return new Error(words.join(' ') || 'unknown error')
}
