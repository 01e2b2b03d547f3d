/** Passes the optional member `canRollBack` of a record store on, for wrappers of stores. */

import type { RecordStore } from '../store.js'

type Check = () => Promise<boolean>

/**
 * Returns an object with `canRollBack` if the store has it, else an empty one.
 * @param wrap Returns what is called in its place.
 */
export function passOnCanRollBack(
  records: RecordStore,
  wrap: (check: Check) => Check = (check) => check,
): { canRollBack?: Check } {
  if (records.canRollBack === undefined) return {}
  return { canRollBack: wrap(async () => (await records.canRollBack?.()) ?? false) }
}
