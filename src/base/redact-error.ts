/** Removes everything from an error that may contain a secret. */

import { isErrorWord } from './error-code.js'
import { safeGet } from './safe-get.js'

/** The errors that are already redacted. Their names and codes are in their messages. */
const redactedErrors = new WeakSet<Error>()

/**
 * Returns a new error whose message is the class and the code of `error` and whose stack has its
 * frames, for use as a `cause`. Libraries may quote a secret in their messages, and database
 * drivers put rows into theirs. Class and code are each kept only if they consist of 1 to 60
 * letters, digits and underscores. If neither is kept, the message is `unknown error`. A redacted
 * error is returned unchanged.
 *
 * @param error Any value that was thrown.
 */
export function redactError(error: unknown): Error {
  if (error instanceof Error && redactedErrors.has(error)) return error
  const words = [classOf(error), safeGet(error, 'code')].filter(isErrorWord)
  const redacted = new Error(words.join(' ') || 'unknown error')
  const frames = framesOf(error)
  if (frames !== '') redacted.stack = `${redacted}\n${frames}`
  redactedErrors.add(redacted)
  return redacted
}

/** Returns the name of an error, or the name of its class if the class has not set one. */
function classOf(error: unknown): unknown {
  const name = safeGet(error, 'name')
  const isUnnamed = name === 'Error' && error instanceof Error
  return isUnnamed ? safeGet(safeGet(error, 'constructor'), 'name') : name
}

/** A line of a stack that names a place in the code. */
const frame = /^ {4}at .{1,300}(?::\d+:\d+|<anonymous>|native|index \d+)\)?$/

/**
 * Returns the lines of the stack of an error that name places in the code, without its message.
 * Empty if there is no stack.
 */
export function framesOf(error: unknown): string {
  const stack = safeGet(error, 'stack')
  if (typeof stack !== 'string') return ''
  // A line of the message can look like a frame.
  const message = String(safeGet(error, 'message'))
  const end = stack.includes(message) ? stack.indexOf(message) + message.length : 0
  const lines = stack.slice(end).split('\n')
  return lines.filter((line) => frame.test(line)).join('\n')
}
