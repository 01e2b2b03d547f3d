/** The embedder's hook around every call. */

import { releaseContent } from '../../base/blob-content.js'
import { createHookedRun } from '../../base/call-around.js'
import { toRuleError } from '../../base/rule-error.js'
import { withTimeout } from '../../base/with-timeout.js'
import { RuleError, StorageUnavailableError } from '../../errors.js'
import type { ClientInfo, KnownCaller } from '../access/caller.js'
import type { OperationName } from '../access/operation-name.js'
import type { CallTarget } from './call-target.js'

/** A call that is about to be made. */
export interface AroundCall {
  /** The name of the operation, such as `getItem`. */
  readonly operation: OperationName
  readonly caller: KnownCaller
  /** The client of a caller who came over HTTP. Not set for other callers. */
  readonly client?: ClientInfo
  /** The well-formed ids in the input. */
  readonly ids: CallTarget
}

/** Makes the call, once, and resolves when it has succeeded. @throws The error of the call. */
export type Next = () => Promise<void>

/** An embedder's function that is called instead of each call, and makes the call with `next`. */
export type Around = (call: AroundCall, next: Next) => void | Promise<void>

/**
 * Makes a call inside `around`.
 * @param timeoutMs The time that `around` has until it calls `next`, and again after the call.
 * @returns The result of the call, once `around` has settled.
 * @throws The error of `around`, or of the call.
 * @throws RuleError if `around` neither calls `next` nor throws.
 * @throws StorageUnavailableError (503) if it takes too long.
 */
export async function runAround<Result>(
  around: Around,
  timeoutMs: number,
  call: AroundCall,
  run: () => Promise<Result>,
): Promise<Result> {
  let idleSince = performance.now()
  let isRunning = false
  const { next, end } = createHookedRun('around', () => {
    isRunning = true
    return run().finally(() => {
      isRunning = false
      idleSince = performance.now()
    })
  })
  const timeoutError = () =>
    new StorageUnavailableError(`around did not settle within ${timeoutMs} ms`)
  try {
    const hook = (async () => around(call, next))()
    await withTimeout<void>(hook, timeoutMs, timeoutError, {
      idleSince: () => (isRunning ? performance.now() : idleSince),
      toError: (reason) => toRuleError(reason, 'around'),
    })
  } catch (error) {
    // Wait for the call to end before reporting the failure, so that nothing goes on afterwards.
    await end()
      ?.then((result) => releaseContent(Object(result).content))
      .catch(() => {})
    throw error
  }
  const outcome = end()
  if (outcome === undefined) throw new RuleError('around must call next or throw')
  return outcome
}
