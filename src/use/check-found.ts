/**
 * Asks a source for a secret, and checks what it returns, because a source can be the embedder's
 * own code.
 */

import { callAround } from '../base/call-around.js'
import { toRuleError } from '../base/rule-error.js'
import { RuleError, SecretUseError } from '../errors.js'
import type { SecretReference } from '../references/secret-reference.js'
import type { FoundSecret, FoundSecrets, SecretSource, SecretTarget } from './secret-source.js'

/**
 * Calls `run` with a function that finds the value of a reference, if the source allows the use.
 * @returns The result of `run`.
 * @throws RuleError that names the source's function that failed, and the errors of `run`.
 */
export async function runInUse<Result>(
  secrets: SecretSource,
  reference: SecretReference,
  target: SecretTarget,
  run: (find: () => Promise<FoundSecret>) => Promise<Result>,
): Promise<Result> {
  const runWith = (find = secrets.find): Promise<Result> =>
    run(() => callRule('secrets.find', () => find.call(secrets, reference, target)))
  if (secrets.aroundUse === undefined) return runWith()
  const around = secrets.aroundUse.bind(secrets, reference, target)
  return callAround('secrets.aroundUse', around, runWith)
}

/**
 * Calls one of the embedder's functions.
 * @throws RuleError that names the function, and errors of this library.
 */
export async function callRule<Result>(rule: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    throw toRuleError(error, rule)
  }
}

/** How long something may be used. */
interface Ending {
  /** Returns the milliseconds that are left, more than 0, or Infinity if there is no end. */
  timeLeft(): number
}

/** A value that may be used. */
export interface UsableValue extends Ending, Pick<FoundSecret, 'value' | 'renew'> {}

/**
 * Returns a secret that can be sent to the target's origin.
 * @throws SecretUseError (403) if it cannot be sent there.
 * @throws RuleError if the source returned something else.
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
 * @throws SecretUseError (403) if they cannot.
 * @throws RuleError if the source returned something else.
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
  target: SecretTarget,
): Ending {
  if (!Array.isArray(origins) || typeof timeLeft !== 'function')
    throw new RuleError(`secrets.${name} must resolve with an object with origins`)
  if (!origins.some((one) => URL.canParse(one) && new URL(one).origin === target.origin))
    throw new SecretUseError('the secret has no such origin', { reason: 'ORIGIN' })
  return {
    timeLeft() {
      const leftMs: unknown = timeLeft()
      if (typeof leftMs === 'number' && leftMs > 0) return leftMs
      throw new RuleError('timeLeft of a secret must return a number of more than 0, or throw')
    },
  }
}
