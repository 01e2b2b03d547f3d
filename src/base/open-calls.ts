/** Counts the calls that are in progress, so that a service or a store can be closed. */

import { StorageUnavailableError } from '../errors.js'
import { yieldToEventLoop } from './pacer.js'

/** The calls that are in progress. */
export interface OpenCalls {
  /** Names what is called, as in `the service`. */
  readonly owner: string
  count: number
  /** Set when the owner is closed. Resolves when no call is left. */
  closing?: Promise<void>
  /** Resolves `closing`. */
  onIdle?: () => unknown
}

/**
 * Runs a call that `closeCalls` waits for.
 * @throws StorageUnavailableError (503) without running it if the owner is closed.
 */
export async function countCall<Result>(
  calls: OpenCalls,
  run: () => Promise<Result>,
): Promise<Result> {
  if (calls.closing !== undefined) throw new StorageUnavailableError(`${calls.owner} is closed`)
  calls.count++
  try {
    return await run()
  } finally {
    if (--calls.count === 0) calls.onIdle?.()
  }
}

/** Returns the methods, asynchronous functions, each with `countCall` around it. */
export function countEach<Methods extends object>(calls: OpenCalls, methods: Methods): Methods {
  const counted = Object.entries(methods).map(([name, method]) => [
    name,
    (...args: unknown[]) => countCall(calls, () => method(...args)),
  ])
  return Object.fromEntries(counted)
}

/**
 * Makes new calls fail, and resolves when those in progress have settled. Closing again returns the
 * same promise.
 */
export function closeCalls(calls: OpenCalls): Promise<void> {
  calls.closing ??= new Promise((resolve) => {
    // Resolves in a later turn, because the promise of the last call settles after the call was
    // counted.
    calls.onIdle = () => yieldToEventLoop().then(resolve)
    if (calls.count === 0) calls.onIdle()
  })
  return calls.closing
}
