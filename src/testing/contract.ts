/** A promise as a case that can be run against whoever makes it, in any test runner. */

/** One sentence of a contract, and the run that shows it. */
export interface ContractCase<Subject> {
  /** A sentence about what is promised. */
  readonly name: string
  /** Resolves if the subject, fresh for this case, keeps the promise; rejects with what was seen if it does not. */
  run(subject: Subject): Promise<void>
}

/** @throws Error with both values if they are not equal as JSON; bytes are compared as bytes. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [left, right] = [comparable(actual), comparable(expected)]
  if (left !== right)
    throw new Error(`${what}: expected ${shortened(right)}, got ${shortened(left)}`)
}

/** @throws Error if `condition` does not hold. */
export function holds(condition: boolean, what: string): void {
  if (!condition) throw new Error(what)
}

/** What `work` rejects with. @throws Error if it resolves. */
export async function rejection(work: Promise<unknown>, what: string): Promise<unknown> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  if (outcome === undefined) throw new Error(`${what}: expected a rejection`)
  return outcome.error
}

function comparable(value: unknown): string {
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, member) {
    // Not `member`: a Buffer has turned itself into something else by then.
    const bytes = this[key]
    return bytes instanceof Uint8Array ? `bytes ${new TextDecoder('latin1').decode(bytes)}` : member
  })
  return text ?? 'undefined'
}

function shortened(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text
}
