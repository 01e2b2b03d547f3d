/** The options of one call of an operation. */

import type { DecryptionError } from '../../errors.js'

/** Options of a call of an operation. */
export interface CallOptions {
  /**
   * Called once with the error of each unreadable record that is left out of the result of this
   * call, or that `collectGarbage` has to skip. `error.record` names the record. If it throws an
   * error, the call rejects with that error.
   */
  readonly onUnreadable?: ((error: DecryptionError) => void) | undefined
}

/** The names of the options of a call. */
export const callOptions = { onUnreadable: true } satisfies Record<keyof CallOptions, true>
