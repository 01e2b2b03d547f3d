/** Compares the counts of a build with those that are allowed. */

import { operationNames } from '../bench-options.js'
import { fixed } from '../table.js'
import type { Counts } from './count-operations.js'

/** The costs of each operation, by name, such as `http, bytes`. */
export type GuardFigures = Readonly<Record<string, Counts>>

/** The result of a comparison. */
export interface Comparison {
  /** The rows of a table. */
  readonly rows: readonly (readonly string[])[]
  /** Figures that are more than a tenth above the allowed ones, or have none. */
  readonly grown: readonly string[]
  /** Figures that are more than a tenth below. */
  readonly shrunk: readonly string[]
}

const tolerance = 0.1

/** Compares each figure that was measured. */
export function compareCounts(measured: GuardFigures, allowed: GuardFigures): Comparison {
  const rows = [['', 'measured', 'allowed', 'ratio']]
  const grown: string[] = []
  const shrunk: string[] = []
  for (const [name, counts] of Object.entries(measured)) {
    for (const operation of operationNames) {
      const title = `${name}: ${operation}`
      const figure = counts[operation] ?? Number.NaN
      const limit = allowed[name]?.[operation] ?? Number.NaN
      const ratio = figure / limit
      rows.push([title, fixed(figure, 0), fixed(limit, 0), fixed(ratio, 3)])
      if (!(ratio <= 1 + tolerance)) grown.push(title)
      if (ratio < 1 - tolerance) shrunk.push(title)
    }
  }
  return { rows, grown, shrunk }
}
