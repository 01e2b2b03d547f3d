/**
 * The ways in which a call to a store goes wrong.
 *
 * | kind | the call | its answer |
 * | --- | --- | --- |
 * | `fails before` | is not made | an error |
 * | `fails after` | is made | an error; of a content, one that comes after its first bytes |
 * | `fails late` | is made after its answer | an error |
 * | `delays` | is made late | the right one |
 * | `hangs` | is made at once | the right one, late |
 * | `repeats` | is made twice | that of the first time |
 * | `retries` | is made twice | that of the second time: a put that was done is rejected |
 * | `denies` | is made | false: a put or delete that was done is rejected |
 * | `stale` | is not made | what it would have been before the item's last change |
 * | `short` | is made | a list without its last record, a body or content without its last byte; done, if that byte was not kept |
 * | `nothing` | is not made | undefined, false, an empty list, or done |
 */

/** One of the ways. */
export type FaultKind = (typeof faultKinds)[number]

/** All of them. */
export const faultKinds = [
  'fails before',
  'fails after',
  'fails late',
  'delays',
  'hangs',
  'repeats',
  'retries',
  'denies',
  'stale',
  'short',
  'nothing',
] as const

/** A call that may go wrong; a kind whose answer is not given here does not apply to it. */
export interface FaultableCall<Answer> {
  make(): Promise<Answer>
  /** Breaks off the answer, where that is another thing than to fail after it. */
  breakOff?(answer: Answer): Answer
  /** Makes it once more, for an answer that may be told. */
  retry?(): Promise<Answer>
  /** The answer of a call that was not made, where that is another thing than an error. */
  denial?: Answer
  /** Whether it may be made after it was answered. */
  readonly isLate?: true
  stale?(): Answer
  shorten?(answer: Answer): Answer
  /** Makes it with less than it was handed. */
  lessen?(): Promise<Answer>
  nothing?(): Answer
}

const driverSecret = 'SECRET-of-the-driver'

/** What a driver that fails may say: the row. */
export function driverError(): Error {
  const error = new Error(`row (${driverSecret})`)
  return Object.assign(error, { name: 'DatabaseError', code: '57P01', detail: driverSecret })
}

/** Whether the call can go wrong in this way. */
export function applies<Answer>(kind: FaultKind, call: FaultableCall<Answer>): boolean {
  switch (kind) {
    case 'retries':
      return call.retry !== undefined
    case 'fails late':
      return call.isLate === true
    case 'denies':
      return call.denial !== undefined
    case 'stale':
      return call.stale !== undefined
    case 'short':
      return (call.shorten ?? call.lessen) !== undefined
    case 'nothing':
      return call.nothing !== undefined
    default:
      return true
  }
}

/**
 * Makes the call as it goes wrong in this way; as it should be if the kind does not apply. `later` is handed what is
 * left to be done when the call was answered.
 */
export async function goWrong<Answer>(
  kind: FaultKind,
  call: FaultableCall<Answer>,
  later: (work: Promise<unknown>) => void,
): Promise<Answer> {
  if (kind === 'fails before') throw driverError()
  if (kind === 'fails late' && call.isLate) {
    later(
      milliseconds(5)
        .then(call.make)
        .catch(() => {}),
    )
    throw driverError()
  }
  if (kind === 'delays') await milliseconds(1)
  if (kind === 'stale' && call.stale) return call.stale()
  if (kind === 'nothing' && call.nothing) return call.nothing()
  if (kind === 'short' && call.lessen) return call.lessen()
  const answer = await call.make()
  if (kind === 'fails after') {
    if (call.breakOff === undefined) throw driverError()
    return call.breakOff(answer)
  }
  if (kind === 'hangs') await milliseconds(5)
  if (kind === 'repeats') await (call.retry ?? call.make)().catch(() => {})
  if (kind === 'retries' && call.retry) return call.retry()
  if (kind === 'denies' && call.denial !== undefined) return call.denial
  return kind === 'short' && call.shorten ? call.shorten(answer) : answer
}

/** Values that no error may hold. */
export const secrets: readonly string[] = [driverSecret, 'correct horse', '1234', 'wendy', 'milk']

function milliseconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count))
}
