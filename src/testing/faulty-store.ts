/** A store whose calls can be made to fail. */

import { anyStore, callback, like, readArgument } from '../base/argument.js'
import type { VaultStore } from '../index.js'
import { interceptStore, type StoreCall } from './store-calls.js'

/**
 * The way in which a call fails:
 * - `fail-before`: rejects, and nothing happened
 * - `fail-after`: rejects, although it happened
 * - `conflict`: returns `false`, as if a concurrent writer had won. Only `put` and `delete` of
 *   records can conflict, so any other call succeeds
 * - `undefined`: the call succeeds
 */
export type Fault = 'fail-before' | 'fail-after' | 'conflict' | undefined

/**
 * Wraps a store so that the calls chosen by `faultOf` fail.
 * @param faultOf Called once before every call to the store.
 * @param error The error that failing calls reject with.
 * @throws TypeError if `store` is not a store, or `faultOf` is not a function.
 * @example
 * ```ts
 * import { createVaultService } from 'cofferkit'
 * import { createMemoryStore } from 'cofferkit/memory'
 * import { createFaultyStore } from 'cofferkit/testing'
 *
 * const store = createFaultyStore(createMemoryStore(), ({ method }) =>
 *   method === 'put' ? 'fail-after' : undefined,
 * )
 * const service = createVaultService({ store })
 * ```
 */
export function createFaultyStore(
  store: VaultStore,
  faultOf: (call: StoreCall) => Fault,
  error: unknown = new Error('the store fails'),
): VaultStore {
  readArgument(like(anyStore), { store, faultOf })
  callback()(faultOf, 'faultOf')
  return interceptStore(store, async (call, run, conflict) => {
    const fault = faultOf(call)
    if (fault === 'fail-before') throw error
    if (fault === 'conflict' && conflict !== undefined) return conflict
    const result = await run()
    if (fault === 'fail-after') throw error
    return result
  })
}
