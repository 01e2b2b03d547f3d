/** The embedder's rule that every stored item obeys. */

import { toRuleError } from '../../base/rule-error.js'
import { RuleError } from '../../errors.js'
import type { KnownCaller } from '../access/caller.js'
import type { ItemContext } from '../runtime/item-context.js'

/**
 * Calls `validateItem` with copies of an item that is about to be stored, as JSON, and of the item
 * that it replaces.
 * @throws VaultError that it throws, or a RuleError if it throws any other error or returns
 * something.
 */
export function checkItemRule(
  { validateItem, now }: Pick<ItemContext, 'validateItem' | 'now'>,
  text: string,
  before: string | undefined,
  caller: KnownCaller,
): void {
  try {
    const change = { before: before && JSON.parse(before), caller, now: new Date(now()) }
    const result: unknown = validateItem?.(JSON.parse(text), change)
    if (result === undefined) return
    // An asynchronous rule would decide only after the write.
    Promise.resolve(result).catch(() => {})
  } catch (error) {
    throw toRuleError(error, 'validateItem')
  }
  throw new RuleError('validateItem must be synchronous and return nothing')
}
