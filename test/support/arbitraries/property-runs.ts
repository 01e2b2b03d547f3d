/** The number of runs of property tests. */

import { runAll } from '../run-all.js'

/**
 * Returns the value for `numRuns` of a property: `full` in `npm run test:all`, and a fifth of it in
 * `npm test`.
 * @param full 1,000 by default; less for a property whose run takes more than 5 ms, and for the
 * least number of runs that a test counts.
 */
export function propertyRuns(full = 1000): number {
  return runAll ? full : Math.ceil(full / 5)
}
