/** Calls a hook of the embedder that runs around something of the library. */

import { RuleError } from '../errors.js'
import { toRuleError } from './rule-error.js'

/**
 * Calls `hook`, which calls its argument, and returns the result of `run`. The hook cannot change
 * that result, and `run` is called at most once.
 * @param name - Names the hook in messages, such as `grants.aroundUse`.
 * @throws The error of `run`; the error of the hook if it refuses or fails, as a RuleError unless it
 * is one of the library; RuleError if the hook does not call its argument.
 */
export async function callAround<Result, Value>(
  name: string,
  hook: (next: (value?: Value) => Promise<void>) => void | Promise<void>,
  run: (value?: Value) => Promise<Result>,
): Promise<Result> {
  let running: Promise<Result> | undefined
  const next = async (value?: Value): Promise<void> => {
    running ??= run(value)
    await running
  }
  try {
    await hook(next)
  } catch (error) {
    throw toRuleError(error, name)
  }
  if (running === undefined) throw new RuleError(`${name} must call next`)
  return running
}
