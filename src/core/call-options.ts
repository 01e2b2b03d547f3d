/** The options of one call of an operation. */

import type { DecryptionError } from '../errors.js'

/** Options of a call of an operation. */
export interface CallOptions {
  /**
   * Aborts the call. Before the call has begun to write, it then rejects with the signal's `reason`
   * without waiting any longer, and nothing was changed. After that it completes as without a
   * signal, with three exceptions:
   * - `attachFile` rejects with the reason while its content arrives; what has arrived is deleted;
   * - `deleteVault` and `collectGarbage` reject with the reason between two items or records; what
   *   they have deleted by then stays deleted;
   * - the stream of `readFileContent` fails with the reason until it is read to its end.
   *
   * A write that a concurrent writer has prevented counts as not begun.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * Called once with the error of each unreadable record that is left out of the result of this call, or
   * that `collectGarbage` has to pass over. `error.record` names the record. If it throws an error,
   * the call rejects with that error.
   */
  readonly onUnreadable?: ((error: DecryptionError) => void) | undefined
}
