/** Checks what a source has found, which can be code of the embedder's. */

import { RuleError, SecretUseError } from '../errors.js'
import type { FoundSecret, FoundSecrets, SecretTarget } from './secret-source.js'

/** How long something may be used. */
interface Ending {
  /** Returns the milliseconds that are left, more than 0; Infinity without an end. */
  timeLeft(): number
}

/** A value that can be sent to the origin. */
export interface UsableValue extends Ending, Pick<FoundSecret, 'value' | 'renew'> {}

/**
 * Returns a secret that can be sent to the origin.
 * @throws SecretUseError (403) if it cannot; RuleError if the source has found something else.
 */
export function checkFound(found: FoundSecret, target: SecretTarget): UsableValue {
  const { value, renew } = Object(found)
  const isRenewable = renew === undefined || typeof renew === 'function'
  if (typeof value !== 'string' || !isRenewable)
    throw new RuleError('secrets.find must resolve with an object with value and origins')
  return { value, renew, ...checkOrigin('find', found, target) }
}

/** Values that can sign a request to the origin. */
export interface UsableValues extends Ending, Pick<FoundSecrets, 'values'> {}

/**
 * Returns values that can sign a request to the origin.
 * @throws SecretUseError (403) if they cannot; RuleError if the source has found something else.
 */
export function checkFoundAll(found: FoundSecrets | undefined, target: SecretTarget): UsableValues {
  const { values } = Object(found)
  const areTexts = Object.values(Object(values)).every((value) => typeof value === 'string')
  if (typeof values !== 'object' || values === null || !areTexts)
    throw new RuleError('secrets.findAll must resolve with an object with values and origins')
  return { values: { ...values }, ...checkOrigin('findAll', Object(found), target) }
}

function checkOrigin(
  name: 'find' | 'findAll',
  { origins, timeLeft = () => Number.POSITIVE_INFINITY }: Pick<FoundSecret, 'origins' | 'timeLeft'>,
  { origin }: SecretTarget,
): Ending {
  if (!Array.isArray(origins) || typeof timeLeft !== 'function')
    throw new RuleError(`secrets.${name} must resolve with an object with origins`)
  if (!origins.some((one) => URL.canParse(one) && new URL(one).origin === origin))
    throw new SecretUseError('the origin is not one of the secret', 'ORIGIN')
  return {
    timeLeft() {
      const leftMs: unknown = timeLeft()
      if (typeof leftMs === 'number' && leftMs > 0) return leftMs
      throw new RuleError('timeLeft of a secret must return a number of more than 0, or throw')
    },
  }
}
