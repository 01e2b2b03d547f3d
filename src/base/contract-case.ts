/** A contract case, and the assertions that cases use instead of a test runner's. */

import { areBytesEqual } from './are-bytes-equal.js'
import { like } from './argument.js'
import { isObject } from './is-object.js'

/** One promise of a contract, as a case for any test runner. */
export interface ContractCase<Subject> {
  /**
   * The promise as a sentence in the third person, such as `deletes a record`: at most 100 characters,
   * without characters that a runner replaces. Unique among all contracts.
   */
  readonly name: string
  /**
   * Tests a subject that no other case has used. When it settles, no call to the subject is in
   * progress, and every stream that it was given or has passed has ended, even if the case failed.
   * @throws Error that describes the difference, if the subject breaks the promise.
   */
  run(subject: Subject): Promise<void>
}

/**
 * Returns the cases with a check of their subject: a case rejects with a TypeError if the subject
 * does not have the members of the example.
 * @param example An example of a subject, for `like`.
 * @param name The name of the subject in the message of the TypeError.
 */
export function checkSubjects<Subject>(
  cases: readonly ContractCase<Subject>[],
  example: object,
  name: string,
): readonly ContractCase<Subject>[] {
  return cases.map((contractCase) => ({
    ...contractCase,
    async run(subject) {
      like(example)(subject, name)
      await contractCase.run(subject)
    },
  }))
}

/**
 * Compares like `assertEqual`, but ignores members that `expected` does not have. So a store can
 * return its own objects, such as rows with more columns.
 * @throws Error like `assertEqual`.
 */
export function assertMembersEqual(actual: unknown, expected: unknown, label: string): void {
  assertEqual(pickExpected(actual, expected), expected, label)
}

/**
 * Compares two values as JSON. Byte arrays are compared byte by byte.
 * @throws Error `<label>: expected …, got …` with at most 60 characters of each side, from 20
 * characters before the first difference.
 */
export function assertEqual(actual: unknown, expected: unknown, label: string): void {
  if (areEqualBytes(actual, expected)) return
  const [left, right] = [toComparable(actual), toComparable(expected)]
  if (left === right) return
  let start = 0
  while (left[start] === right[start]) start++
  throw new Error(`${label}: expected ${excerpt(right, start)}, got ${excerpt(left, start)}`)
}

/** @throws Error with `message` if `condition` is false. */
export function assert(condition: boolean, message: string): void {
  if (!condition) throw new Error(message)
}

/** Returns what `promise` rejects with. @throws Error if it resolves. */
export async function captureRejection(promise: Promise<unknown>, label: string): Promise<unknown> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  if (outcome === undefined) throw new Error(`${label}: expected a rejection`)
  return outcome.error
}

/** Returns the value without the members that the expected value does not have, at every depth. */
function pickExpected(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(actual) && Array.isArray(expected))
    return actual.map((element, index) => pickExpected(element, expected[index]))
  const haveBytes = [actual, expected].some((value) => value instanceof Uint8Array)
  if (haveBytes || !isObject(actual) || !isObject(expected)) return actual
  const names = Object.keys(expected).filter((name) => name in actual)
  return Object.fromEntries(names.map((name) => [name, pickExpected(actual[name], expected[name])]))
}

/**
 * Returns true for equal byte arrays. This is faster than comparing their JSON, which matters for
 * megabytes.
 */
function areEqualBytes(actual: unknown, expected: unknown): boolean {
  const areBytes = actual instanceof Uint8Array && expected instanceof Uint8Array
  return areBytes && areBytesEqual(actual, expected)
}

function toComparable(value: unknown): string {
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, member) {
    // Not `member`: `Buffer.prototype.toJSON` has already replaced a Buffer there.
    const bytes = this[key]
    return bytes instanceof Uint8Array ? `bytes ${new TextDecoder('latin1').decode(bytes)}` : member
  })
  return text ?? 'undefined'
}

/**
 * Returns the text if it has at most 60 characters, otherwise 60 of them, from 20 before `index`.
 */
function excerpt(text: string, index: number): string {
  const start = text.length <= 60 ? 0 : Math.max(0, index - 20)
  const end = start + 60
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}
