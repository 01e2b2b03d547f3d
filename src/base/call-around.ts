/** Calls an embedder's hook that wraps something in the library. */

import { RuleError } from '../errors.js'
import { toRuleError } from './rule-error.js'

/** The run of something by a hook. */
export interface HookedRun<Result, Value> {
  /**
   * The argument of the hook: runs it, once, and resolves when it has succeeded. The hook need not
   * wait for it.
   * @throws The error of the run, or RuleError if the hook had settled before the first call.
   */
  readonly next: (value?: Value) => Promise<void>
  /** Call it when the hook has settled. Returns the result, or undefined if nothing was run. */
  readonly end: () => Promise<Result> | undefined
}

/** Prepares a run by a hook. @param name - Names the hook in messages, such as `grants.aroundUse`. */
export function createHookedRun<Result, Value>(
  name: string,
  run: (value?: Value) => Promise<Result>,
): HookedRun<Result, Value> {
  let isOver = false
  let outcome: Promise<Result> | undefined
  let done: Promise<void> | undefined
  const start = async (value: Value | undefined): Promise<void> => {
    if (isOver) throw new RuleError(`next must be called before ${name} has settled`)
    outcome = run(value)
    await outcome
  }
  return {
    next(value) {
      if (done === undefined) {
        done = start(value)
        done.catch(() => {})
      }
      return done
    },
    end() {
      isOver = true
      return outcome
    },
  }
}

/**
 * Calls `hook`, which calls its argument, and returns the result of `run`. The hook cannot change
 * that result, and `run` is called at most once. Nothing goes on when this has settled.
 * @param name - Names the hook in messages, such as `grants.aroundUse`.
 * @throws The error of `run`.
 * @throws The error of the hook if it refuses or fails, as a RuleError unless it is an error of the
 * library.
 * @throws RuleError if the hook does not call its argument.
 */
export async function callAround<Result, Value>(
  name: string,
  hook: (next: (value?: Value) => Promise<void>) => void | Promise<void>,
  run: (value?: Value) => Promise<Result>,
): Promise<Result> {
  const { next, end } = createHookedRun(name, run)
  try {
    await hook(next)
  } catch (error) {
    await end()?.catch(() => {})
    throw toRuleError(error, name)
  }
  const outcome = end()
  if (outcome === undefined) throw new RuleError(`${name} must call next`)
  return outcome
}
