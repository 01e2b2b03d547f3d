/**
 * The seed of property tests. It is the same in every run, so that a test only fails because of a
 * change. `SEED=random npm run test:all -- vitest` tries other inputs, and `SEED=<number>` repeats
 * the ones of a run that failed.
 */

import fc from 'fast-check'

const { SEED: seed = '20261122' } = process.env

/** Sets the seed of all properties of a test file. */
export function setPropertySeed(): void {
  if (seed === 'random') return
  if (!/^-?\d+$/.test(seed)) throw new RangeError('SEED must be an integer or "random"')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) })
}
