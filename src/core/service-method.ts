/** The methods of a service, and the functions that HTTP calls in their place. */

import type { Caller } from './access/caller.js'
import type { CallOptions } from './call-options.js'

/** A method of the service, for callers in process. */
export interface ServiceMethod {
  (caller: Caller | undefined, input: never, options?: CallOptions): Promise<unknown>
  /** Called over HTTP in place of the method; absent from a method of an embedder. */
  readonly run?: StoredMethod
}

/**
 * Runs an operation for HTTP. The input has all of its members. The result is in its stored
 * form: an item with its JSON, a content as the store has returned it.
 */
interface StoredMethod {
  (caller: Caller | undefined, input: never, options?: CallOptions): Promise<unknown>
  /** The method that this `run` belongs to: a wrapper, such as a spy, can have a copy of `run`. */
  readonly method: unknown
}

/**
 * Returns the function that HTTP calls for a method of a service: its `run`, or the method itself
 * if an embedder has wrapped or replaced it.
 */
export function storedMethod(method: ServiceMethod): ServiceMethod {
  return method.run?.method === method ? method.run : method
}
