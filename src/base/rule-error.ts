/** Names the embedder's function that failed. */

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
