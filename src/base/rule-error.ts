/** Names the function of the embedder that failed. */

import { isVaultError, RuleError, type VaultError } from '../errors.js'
import { redactError } from './redact-error.js'

/**
 * Returns an error of the library unchanged, which a rule throws to refuse a call, and any other as
 * a RuleError that names the rule. The other error is redacted.
 */
export function toRuleError(error: unknown, rule: string): VaultError {
  if (isVaultError(error)) return error
  return new RuleError(`${rule} failed`, { cause: redactError(error) })
}
