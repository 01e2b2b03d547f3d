/** The part of the context that decides which items are valid: everything but the store. */

import { anyFunction, assertCallbacks, assertLike } from '../../base/assert-argument.js'
import { contractDialect } from '../../dialects/contract.js'
import type { Dialect } from '../../dialects/dialect.js'
import type { VaultServiceOptions } from '../options.js'
import { createLimitedClock, type Limits, resolveLimits } from './limits.js'
import { createRandomBytes, type RandomBytes } from './random.js'

/** The options of a service that decide which items are valid. */
export type ItemOptions = Pick<
  VaultServiceOptions,
  'dialect' | 'limits' | 'now' | 'randomBytes' | 'strict' | 'validateItem'
>

/** Dialect, limits, rule, clock and randomness. */
export interface ItemContext {
  readonly dialect: Dialect
  readonly limits: Limits
  readonly validateItem: VaultServiceOptions['validateItem']
  /** True if what would do nothing is rejected. */
  readonly strict?: boolean | undefined
  /**
   * Returns the time, in a year that can be stored.
   * @throws StorageUnavailableError (503) if the clock returns another year.
   */
  readonly now: () => Date
  readonly randomBytes: RandomBytes
}

/**
 * Creates the context from options.
 * @throws TypeError if an option has the wrong type.
 * @throws RangeError if a limit is out of range.
 */
export function createItemContext(options: ItemOptions): ItemContext {
  const { dialect = contractDialect, randomBytes = createRandomBytes(), now } = options
  assertLike(dialect, contractDialect, 'options.dialect')
  assertLike(randomBytes, anyFunction, 'options.randomBytes')
  if (now !== undefined) {
    assertLike(now, anyFunction, 'options.now')
    assertLike(Object(now()).getTime, anyFunction, 'options.now().getTime')
  }
  assertCallbacks(options, 'validateItem')
  return {
    dialect,
    limits: resolveLimits(options.limits),
    validateItem: options.validateItem?.bind(options),
    strict: options.strict,
    now: createLimitedClock(now),
    randomBytes,
  }
}
