/** The form of the tables of guessed calls, and what they share. */

/**
 * A wrong call that a tired person may make. Its line with the mistake has a `@ts-expect-error` if
 * it does not compile.
 */
export type Guess = {
  readonly call: () => unknown
  readonly compiles: boolean
} & GuessOutcome

/** What happens when the call is made in JavaScript. */
type GuessOutcome =
  /** An error that names what is wrong, and from which one can tell what to do. */
  | { readonly clear: string }
  /** An error from which one cannot tell what to do. */
  | { readonly vague: string }
  /** No error, because a page says that this is meant. */
  | { readonly meant: { readonly page: string; readonly says: string } }

/** Guesses by what is wrong with them. */
export type Guesses = Readonly<Record<string, Guess>>

/** The value of a variable that is not set: what `process.env.KEY as string` is without it. */
export const notSet = process.env['COFFERKIT_NOT_SET'] as never

/** Throws the error that a handler reports for a request. */
export async function ask(
  send: (options: { readonly onError: (error: unknown) => void }) => Promise<Response>,
): Promise<Response> {
  const reported: unknown[] = []
  const response = await send({ onError: (error) => reported.push(error) })
  if (reported.length > 0) throw reported[0]
  return response
}
