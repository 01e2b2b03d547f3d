/** Counts the calls of a service that are in progress, so that it can be closed. */

import { StorageUnavailableError } from '../../errors.js'
import { yieldToEventLoop } from '../../pacer.js'

/** The calls of a service that are in progress. */
export interface Calls {
  count: number
  /** Set when the service is closed. Resolves when no call is left. */
  closing?: Promise<void>
  /** Resolves `closing`. */
  onIdle?: () => unknown
}

/**
 * Runs a call that `closeCalls` waits for.
 * @throws StorageUnavailableError (503) without running it if the service is closed.
 */
export async function countCall<Result>(calls: Calls, run: () => Promise<Result>): Promise<Result> {
  if (calls.closing !== undefined) throw closedError()
  calls.count++
  try {
    return await run()
  } finally {
    if (--calls.count === 0) calls.onIdle?.()
  }
}

/** Refuses further calls, and resolves when those in progress have settled. */
export function closeCalls(calls: Calls): Promise<void> {
  calls.closing ??= new Promise((resolve) => {
    // In a later turn: the promise of the last call settles after the call was counted.
    calls.onIdle = () => yieldToEventLoop().then(resolve)
    if (calls.count === 0) calls.onIdle()
  })
  return calls.closing
}

/** Returns the error for a call of a closed service. */
export function closedError(): StorageUnavailableError {
  return new StorageUnavailableError('the service is closed')
}
