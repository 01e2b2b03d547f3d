/** A promise as a case that can be run against whoever makes it, in any test runner. */

/** One sentence of a contract, and the run that shows it. */
export interface ContractCase<Subject> {
  /** A sentence about what is promised. */
  readonly name: string
  /** Resolves if the subject, fresh for this case, keeps the promise; rejects with what was seen if it does not. */
  run(subject: Subject): Promise<void>
}

/**
 * Compares as `same` does, but ignores members that are not expected: a store may return its own objects, such as rows
 * with more columns. @throws Error as `same` does.
 */
export function assertMembersEqual(actual: unknown, expected: unknown, label: string): void {
  assertEqual(pickExpected(actual, expected), expected, label)
}

/**
 * Compares as JSON; bytes are compared as bytes.
 * @throws Error that shows the first difference, with at most 60 characters of each side.
 */
export function assertEqual(actual: unknown, expected: unknown, label: string): void {
  const [left, right] = [toComparable(actual), toComparable(expected)]
  if (left === right) return
  let start = 0
  while (left[start] === right[start]) start++
  throw new Error(`${label}: expected ${excerpt(right, start)}, got ${excerpt(left, start)}`)
}

/** The value without the members of its objects that the expected value lacks. */
function pickExpected(actual: unknown, expected: unknown): unknown {
  if (Array.isArray(actual) && Array.isArray(expected))
    return actual.map((element, index) => pickExpected(element, expected[index]))
  if (!isObject(actual) || !isObject(expected)) return actual
  const names = Object.keys(expected).filter((name) => name in actual)
  return Object.fromEntries(
    names.map((name) => [name, pickExpected(actual[name], expected[name])]),
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  const isList = Array.isArray(value) || value instanceof Uint8Array
  return typeof value === 'object' && value !== null && !isList
}

/** @throws Error if `condition` does not hold. */
export function assert(condition: boolean, label: string): void {
  if (!condition) throw new Error(label)
}

/** What `work` rejects with. @throws Error if it resolves. */
export async function captureRejection(work: Promise<unknown>, label: string): Promise<unknown> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  if (outcome === undefined) throw new Error(`${label}: expected a rejection`)
  return outcome.error
}

function toComparable(value: unknown): string {
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, member) {
    // Not `member`: a Buffer has turned itself into something else by then.
    const bytes = this[key]
    return bytes instanceof Uint8Array ? `bytes ${new TextDecoder('latin1').decode(bytes)}` : member
  })
  return text ?? 'undefined'
}

/** The text if it has at most 60 characters; else 60 of it, from 20 before `index`. */
function excerpt(text: string, index: number): string {
  const start = text.length <= 60 ? 0 : Math.max(0, index - 20)
  const end = start + 60
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}
