/** A store that fails when it is told to. */

import type { VaultStore } from '../index.js'

/** One call to a store. */
export interface StoreCall {
  readonly store: 'records' | 'blobs'
  readonly method: string
  /** How many calls came before this one, to either half. */
  readonly index: number
}

/**
 * How a call goes wrong: it fails and nothing happened, it fails though it happened, or, for `put` and `delete`, it is
 * refused as if somebody else had been faster. Undefined lets it go well.
 */
export type Fault = 'before' | 'after' | 'refuse' | undefined

/** The store, with the faults that `faultOf` chooses. Failing calls reject with `error`. */
export function faultyStore(
  inner: VaultStore,
  faultOf: (call: StoreCall) => Fault,
  error: unknown = new Error('the store is out of order'),
): VaultStore {
  let index = 0
  const faulty = <Half extends object>(half: Half, store: StoreCall['store']): Half =>
    Object.fromEntries(
      Object.entries(half).map(([method, call]) => [
        method,
        async (...input: unknown[]) => {
          const fault = faultOf({ store, method, index: index++ })
          if (fault === 'before') throw error
          if (fault === 'refuse') return false
          const result: unknown = await call.apply(half, input)
          if (fault === 'after') throw error
          return result
        },
      ]),
    ) as Half
  return { records: faulty(inner.records, 'records'), blobs: faulty(inner.blobs, 'blobs') }
}
