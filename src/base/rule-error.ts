/** Calls the embedder's functions, and names the one that failed. */

import { isVaultError, RuleError, type VaultError } from '../errors.js'
import { redactError } from './redact-error.js'

/**
 * Returns an error of the library unchanged, because a rule throws it to refuse a call. Any other
 * error is redacted, and becomes the cause of a RuleError that names the rule.
 */
export function toRuleError(error: unknown, rule: string): VaultError {
  if (isVaultError(error)) return error
  return new RuleError(`${rule} failed`, { cause: redactError(error) })
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
