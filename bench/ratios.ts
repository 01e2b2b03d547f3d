/** Tables of the ratios of one contender to another, with a column for each operation. */

import { mainOperations, type OperationName } from './bench-options.js'
import { median } from './statistics.js'
import { fixed, formatRange } from './table.js'
import {
  generationMeans,
  generationRatios,
  type ItemSet,
  medianFigure,
  type Phase,
  type Sample,
  type SliceFigures,
} from './take-turns.js'

/** Bounds of the ratios: upper bounds of costs, lower bounds of rates. */
export type Goals = Readonly<Partial<Record<OperationName | 'mean', number>>>

/** A row of ratios. */
export interface RatioRow {
  readonly title: string
  /** The contender that is measured, and the one that it is divided by. */
  readonly pair: readonly [string, string]
  readonly items: ItemSet
  readonly goals?: Goals | undefined
}

/** The samples of a table, and their kind. */
export interface RatioSource {
  readonly samples: readonly Sample[]
  readonly operations: readonly OperationName[]
  readonly phase: Phase
  readonly metric: keyof SliceFigures
}

/**
 * The head and a row for each pair: the ratio of each operation, the geometric mean of the main
 * ones with its range in the generations, and the goals that are missed if a row has any.
 */
export function createRatioRows(source: RatioSource, rows: readonly RatioRow[]): string[][] {
  const { operations } = source
  const hasMean = mainOperations.every((operation) => operations.includes(operation))
  const meanHead = hasMean ? ['mean', 'of generations'] : []
  const goalHead = rows.some(({ goals }) => goals !== undefined) ? ['goals'] : []
  const head = ['', ...operations, ...meanHead, ...goalHead]
  return [head, ...rows.map((row) => createRow(source, row, hasMean))]
}

/** A row with the bounds of each column. */
export function createGoalRow(
  title: string,
  operations: readonly OperationName[],
  goals: Goals,
  sign: '<=' | '>=',
): string[] {
  const format = (goal: number | undefined): string =>
    goal === undefined ? '' : `${sign} ${fixed(goal)}`
  return [title, ...operations.map((operation) => format(goals[operation])), format(goals.mean)]
}

/** The medians of contenders: a row for each, a column for each operation. */
export function createFigureRows(
  { samples, operations, phase, metric }: RatioSource,
  contenders: readonly string[],
  items: ItemSet,
): string[][] {
  const digits = metric === 'cpu' ? 1 : 0
  const rows = contenders.map((name) => [
    name,
    ...operations.map((operation) =>
      fixed(medianFigure(samples, name, { phase, items, operation, metric }), digits),
    ),
  ])
  return [['', ...operations], ...rows]
}

function createRow(
  { samples, operations, phase, metric }: RatioSource,
  { title, pair, items, goals = {} }: RatioRow,
  hasMean: boolean,
): string[] {
  const ratios = new Map(
    operations.map((operation) => [
      operation,
      generationRatios(samples, pair, { phase, items, operation, metric }),
    ]),
  )
  const means = generationMeans(mainOperations.map((operation) => ratios.get(operation) ?? []))
  const figures: Goals = {
    ...Object.fromEntries([...ratios].map(([operation, numbers]) => [operation, median(numbers)])),
    ...(hasMean && { mean: median(means) }),
  }
  const columns = [...operations, ...(hasMean ? (['mean'] as const) : [])]
  const isMissed = (column: keyof Goals): boolean => {
    const { [column]: figure = Number.NaN } = figures
    const { [column]: goal = figure } = goals
    return metric === 'cpu' ? figure > goal : figure < goal
  }
  const missed = columns.filter(isMissed)
  const verdict = missed.length === 0 ? 'met' : `MISSED: ${missed.join(', ')}`
  return [
    title,
    ...columns.map((column) => fixed(figures[column] ?? Number.NaN)),
    ...(hasMean ? [formatRange(means)] : []),
    ...(Object.keys(goals).length === 0 ? [] : [verdict]),
  ]
}
