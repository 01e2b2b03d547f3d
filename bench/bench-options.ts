/** Options of every part of the bench, and the results that it returns. */

import type { Table } from './table.js'

/** An operation that is measured. */
export type OperationName = (typeof operationNames)[number]

/**
 * The operations of the geometric means: create, replace and patch an item, and the details of a
 * file with its content of 1 KB.
 */
export const mainOperations = ['create', 'replace', 'patch', 'file'] as const

/** All operations. `details` are those of a file without its content. */
export const operationNames = [...mainOperations, 'details'] as const

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
  /** Number of generations of processes; each part has its own default. */
  readonly generations: number | undefined
  /** Number of rounds, in each generation; each part has its own default. */
  readonly rounds: number | undefined
  /** Largest number of items in `filter`, `growth` and `memory`. */
  readonly items: number | undefined
  /** Measures less: the main tables of `in-process` and `http` in under two minutes. */
  readonly isQuick: boolean
}

/** The results of a part. */
export interface PartResults {
  readonly tables: readonly Table[]
  readonly images?: readonly Image[]
}

/** An SVG for the pages. */
export interface Image {
  /** Name of its file in `docs/images/`. */
  readonly name: string
  readonly svg: string
}
