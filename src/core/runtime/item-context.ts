/** The part of the context that decides which items are valid: everything but the store. */

import { callback, clock, flag, like } from '../../base/argument.js'
import { nested, type OptionKinds, type OptionValues, optional } from '../../base/options.js'
import { contractDialect } from '../../dialects/contract.js'
import type { Dialect } from '../../dialects/dialect.js'
import type { VaultServiceOptions } from '../options.js'
import { createLimitedClock, type ItemLimits, limitOptions } from './limits.js'
import { createRandomBytes, type RandomBytes } from './random.js'

/** Dialect, limits, rule, clock and randomness. */
export interface ItemContext {
  readonly dialect: Dialect
  readonly limits: ItemLimits
  readonly validateItem: VaultServiceOptions['validateItem']
  /** True if input that would do nothing is rejected. */
  readonly strict?: boolean | undefined
  /**
   * Returns the time, in a year that can be stored.
   * @throws StorageUnavailableError (503) if the clock returns another year.
   */
  readonly now: () => Date
  readonly randomBytes: RandomBytes
}

/** The kinds of the options that decide which items are valid. */
export const itemOptionKinds = {
  dialect: optional(like(contractDialect), contractDialect),
  limits: nested(limitOptions),
  now: optional(clock),
  randomBytes: optional(callback()),
  strict: optional(flag(), false),
  validateItem: optional(callback()),
} satisfies OptionKinds<
  Pick<
    VaultServiceOptions,
    'dialect' | 'limits' | 'now' | 'randomBytes' | 'strict' | 'validateItem'
  >
>

/** Creates the context from options. */
export function createItemContext(options: OptionValues<typeof itemOptionKinds>): ItemContext {
  const { dialect, limits, validateItem, strict, now, randomBytes = createRandomBytes() } = options
  return { dialect, limits, validateItem, strict, now: createLimitedClock(now), randomBytes }
}
