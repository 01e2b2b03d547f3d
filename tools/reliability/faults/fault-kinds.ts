/**
 * The ways in which a call to a store fails.
 *
 * | kind | the call | its response |
 * | --- | --- | --- |
 * | `fails before` | is not made | an error |
 * | `fails after` | is made | an error; for a blob, one that comes after its first bytes |
 * | `fails late` | is made after its response | an error |
 * | `delays` | is made late | the correct one |
 * | `hangs` | is made immediately | the correct one, late |
 * | `repeats` | is made twice | the one of the first time |
 * | `retries` | is made twice | the one of the second time: a put that was made is rejected |
 * | `denies` | is made | false: a put or delete that was made is rejected |
 * | `stale` | is not made | the one of before the item's last change |
 * | `short` | is made | a list without its last record, a body or blob without its last byte; done, if that byte was not stored |
 * | `nothing` | is not made | undefined, false, an empty list, or done |
 */

/** One of the ways. */
export type FaultKind = (typeof faultKinds)[number]

/** All ways. */
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

/** A call that can go wrong. A kind whose member is absent does not apply to the call. */
export interface FaultableCall<Response> {
  make(): Promise<Response>
  /** `fails after`: interrupts the response. If absent, the call fails instead. */
  interrupt?(response: Response): Response
  /** `retries`: makes the call again, for a response that is returned. */
  retry?(): Promise<Response>
  /** `denies`: the response of a call that was not made, if it is not an error. */
  denial?: Response
  /** `fails late`: true if the call can be made after its response. */
  readonly isLate?: true
  /** `stale`: an earlier response. */
  stale?(): Response
  /** `short`: shortens the response. */
  shorten?(response: Response): Response
  /** `short`: makes the call with a shortened input. */
  shortenInput?(): Promise<Response>
  /** `nothing`: the response of a call that was not made. */
  nothing?(): Response
}

const driverSecret = 'SECRET-of-the-driver'

/** An error as drivers throw it, with the row in its message and in a member. */
export function driverError(): Error {
  const error = new Error(`row (${driverSecret})`)
  return Object.assign(error, { name: 'DatabaseError', code: '57P01', detail: driverSecret })
}

/** True if the call can go wrong in this way. */
export function isApplicable<Response>(kind: FaultKind, call: FaultableCall<Response>): boolean {
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
      return (call.shorten ?? call.shortenInput) !== undefined
    case 'nothing':
      return call.nothing !== undefined
    default:
      return true
  }
}

/**
 * Makes the call with this fault; correctly if the kind does not apply. `onLateWork` is called with
 * work that continues after the response.
 */
export async function makeFaultyCall<Response>(
  kind: FaultKind,
  call: FaultableCall<Response>,
  onLateWork: (work: Promise<unknown>) => void,
): Promise<Response> {
  if (kind === 'fails before') throw driverError()
  if (kind === 'fails late' && call.isLate) {
    onLateWork(
      sleep(5)
        .then(call.make)
        .catch(() => {}),
    )
    throw driverError()
  }
  if (kind === 'delays') await sleep(1)
  if (kind === 'stale' && call.stale) return call.stale()
  if (kind === 'nothing' && call.nothing) return call.nothing()
  if (kind === 'short' && call.shortenInput) return call.shortenInput()
  const response = await call.make()
  if (kind === 'fails after') {
    if (call.interrupt === undefined) throw driverError()
    return call.interrupt(response)
  }
  if (kind === 'hangs') await sleep(5)
  if (kind === 'repeats') await (call.retry ?? call.make)().catch(() => {})
  if (kind === 'retries' && call.retry) return call.retry()
  if (kind === 'denies' && call.denial !== undefined) return call.denial
  return kind === 'short' && call.shorten ? call.shorten(response) : response
}

/** Values that no error can contain. */
export const secrets: readonly string[] = [driverSecret, 'correct horse', '1234', 'wendy', 'milk']

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
