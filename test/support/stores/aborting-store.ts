/** A store that calls a function at one of its calls. */

import type { VaultStore } from '../../../src/index.js'

/** The time of the interruption: when the call begins, or when it is done but not settled. */
export type Moment = 'begin' | 'end'

/** Wraps a store so that `interrupt` is called at its call number `index`, counted from 0. */
export function interruptAt(
  { records, blobs }: VaultStore,
  index: number,
  moment: Moment,
  interrupt: () => void,
): VaultStore {
  let count = 0
  const around = <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      const isNow = count++ === index
      if (isNow && moment === 'begin') interrupt()
      const result = await call(...args)
      if (isNow && moment === 'end') interrupt()
      return result
    }
  }
  return {
    records: {
      get: around(records.get),
      put: around(records.put),
      delete: around(records.delete),
      list: around(records.list),
    },
    blobs: { read: around(blobs.read), write: around(blobs.write), delete: around(blobs.delete) },
  }
}
