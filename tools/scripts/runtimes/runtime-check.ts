/** A check that runs in a folder in which the packed package is installed. */

/** The result of a check, as programs of `test/runtimes` print it in JSON. */
export interface RuntimeReport {
  /** Titles of the checks that passed. */
  readonly checks?: readonly string[]
  /** Titles of known failures. */
  readonly failures?: readonly string[]
  /** Reason of the failure of the whole; absent if it passed. */
  readonly failed?: string
}

/** A check of one runtime, server, store or example. */
export interface RuntimeCheck {
  readonly name: string
  readonly version: string
  /** Runs it in the folder `consumer`, with `broken` on a platform that is broken in this way. */
  report(consumer: string, broken?: string): Promise<RuntimeReport>
}
