/**
 * Uses a secret of a source. What the source does and returns is checked, because it can be the
 * embedder's own code.
 */

import { assertOrigin } from '../base/assert-origin.js'
import { callAround } from '../base/call-around.js'
import { callRule } from '../base/rule-error.js'
import { RuleError } from '../errors.js'
import type {
  FoundSecret,
  FoundSecrets,
  ItemReference,
  ReadSecret,
  SecretSource,
  SecretTarget,
  ValueReference,
} from './secret-source.js'

/** A use of a secret for a request. */
interface Use<Usable> {
  readonly reference: ValueReference | ItemReference
  readonly target: SecretTarget
  /** Called before the secret is read. @throws SecretUseError to refuse the use. */
  allow(): Promise<void>
  /** Returns what was read, if it may be used. */
  check(found: unknown): Usable
}

/**
 * Reads a secret, if the source and `allow` let it be used for the request. Resolves when the source
 * has.
 * @throws RuleError if the source fails, and the errors of `allow` and `check`.
 */
export function useSecret<Usable>(
  secrets: SecretSource,
  { reference, target, allow, check }: Use<Usable>,
): Promise<Usable> {
  return callAround(
    'secrets',
    (next) => secrets(reference, target, next),
    async (read?: ReadSecret) => {
      if (typeof read !== 'function')
        throw new RuleError('secrets must call next with a function that reads the secret')
      await allow()
      return check(await callRule('secrets', read))
    },
  )
}

/** How long something may be used. */
interface Ending {
  /** Returns the milliseconds that are left, more than 0, or Infinity if there is no end. */
  timeLeft(): number
}

/** A value that may be used. */
export interface UsableValue extends Ending, Pick<FoundSecret, 'value' | 'renew'> {}

/**
 * Returns a value that can be sent to the target's origin.
 * @throws SecretUseError (403) if it cannot be sent there.
 * @throws RuleError if the source returned something else.
 */
export function toUsableValue(found: unknown, target: SecretTarget): UsableValue {
  const { value, renew }: Partial<FoundSecret> = Object(found)
  const isRenewable = renew === undefined || typeof renew === 'function'
  if (typeof value !== 'string' || !isRenewable)
    throw new RuleError('secrets must read an object with value and origins')
  return { value, renew, ...checkOrigins(found, target) }
}

/** Values that can sign a request. */
export interface UsableValues extends Ending, Pick<FoundSecrets, 'values'> {}

/**
 * Returns values that can sign a request to the target's origin.
 * @throws SecretUseError (403) if they cannot.
 * @throws RuleError if the source returned something else.
 */
export function toUsableValues(found: unknown, target: SecretTarget): UsableValues {
  const { values }: Partial<FoundSecrets> = Object(found)
  const areTexts = Object.values(Object(values)).every((value) => typeof value === 'string')
  if (typeof values !== 'object' || values === null || !areTexts)
    throw new RuleError('secrets must read an object with values and origins')
  return { values: { ...values }, ...checkOrigins(found, target) }
}

function checkOrigins(found: unknown, { origin }: SecretTarget): Ending {
  const { origins, timeLeft = () => Number.POSITIVE_INFINITY }: Partial<FoundSecret> = Object(found)
  if (!Array.isArray(origins) || typeof timeLeft !== 'function')
    throw new RuleError('secrets must read an object with origins')
  assertOrigin(origins, origin)
  return {
    timeLeft() {
      const leftMs: unknown = timeLeft()
      if (typeof leftMs === 'number' && leftMs > 0) return leftMs
      throw new RuleError('timeLeft of a secret must return a number of more than 0, or throw')
    },
  }
}
