/** Failures that a user can expect, and the text that is printed for each failure. */

import { isErrorWord } from '../base/error-code.js'
import { isVaultError } from '../index.js'

/** A failure that is not a bug: a wrong argument, a missing file, a store that does not respond. */
export class CommandError extends Error {
  readonly exitCode: number

  /**
   * @param message - The problem, without a value that can be a secret.
   * @param remedy - The next step for the user, as a sentence. Default: none.
   * @param exitCode - The exit code of the process.
   */
  constructor(message: string, remedy?: string, exitCode = 2) {
    super(remedy === undefined ? message : `${message}\n${remedy}`)
    Object.defineProperty(this, 'name', { value: 'CommandError' })
    this.exitCode = exitCode
  }
}

/** The exit code of a failure: 1 for a bug, else 2, or that of the error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode
  return isVaultError(error) ? 2 : 1
}

/**
 * Returns the text of a failure. An expected one is described without a stack. For a bug, only the
 * class of the error and the lines of code are printed, because its message may contain a secret.
 */
export function describeError(error: unknown): string {
  if (error instanceof CommandError) return `error: ${error.message}`
  if (isVaultError(error)) return `error: ${describeVaultError(error)}`
  const { name, stack } = Object(error)
  const frames = String(stack).match(/^ {4}at .*$/gm) ?? []
  const title = `This is a bug in cofferkit: ${isErrorWord(name) ? name : 'Error'}`
  const report = 'Please report it with these lines: https://github.com/cofferkit/cofferkit/issues'
  return [title, ...frames, report].join('\n')
}

/** Returns the message of the error and those of its causes, which contain no values. */
export function describeVaultError(error: Error): string {
  const messages = [error.message]
  for (let { cause } = error; cause instanceof Error && messages.length < 4; { cause } = cause)
    messages.push(cause.message)
  return messages.join(': ')
}
