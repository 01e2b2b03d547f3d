/** What an error of foreign code may leave behind: its words may quote a secret. */

import { safeGet } from './safe-get.js'

/** An error that says no more than the name and the code of `error`, to be kept as a cause. */
export function redactError(error: unknown): Error {
  const words = [safeGet(error, 'name'), safeGet(error, 'code')].filter(
    (word) => typeof word === 'string' && /^[A-Za-z0-9_]{1,60}$/.test(word),
  )
  return new Error(words.join(' ') || 'unknown error')
}
