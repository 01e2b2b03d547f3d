/** Options of every part of the bench. */

/** An operation that is measured. */
export type OperationName = (typeof operationNames)[number]

/** All operations. */
export const operationNames = ['create', 'replace', 'patch', 'file'] as const

/** A build of the package. */
export interface Build {
  readonly name: string
  /** `file:` URL of its folder. */
  readonly url: string
}

/** Options, from the command line. */
export interface BenchOptions {
  readonly operations: readonly OperationName[]
  /** The build that is measured, and further builds to compare. */
  readonly builds: readonly [Build, ...Build[]]
  /** Names of the competitors of `http`; all if absent. */
  readonly servers: readonly string[] | undefined
  /** Folder for CPU profiles; none are written if absent. */
  readonly profile: string | undefined
  /** Number of rounds; each part has its own default. */
  readonly rounds: number | undefined
  /** Number of items in `filter`. */
  readonly items: number | undefined
}
