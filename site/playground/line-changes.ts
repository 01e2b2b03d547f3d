/** Compares two JSON values line by line. */

/** A line of the comparison. */
export interface ComparedLine {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

/** The most pairs of lines that are compared. */
const maxPairs = 4_000_000

/** A line, and its text without a comma at its end. */
interface Line {
  readonly text: string
  readonly key: string
}

/**
 * Returns the lines of `after`, formatted, with the lines of `before` that it lacks. A comma at the
 * end of a line is no difference. If very much differs, everything from the first difference to the
 * last one is removed and added.
 */
export function compareJson(before: unknown, after: unknown): readonly ComparedLine[] {
  const [old, now] = [linesOf(before), linesOf(after)]
  let head = 0
  while (head < Math.min(old.length, now.length) && old[head]?.key === now[head]?.key) head++
  return [
    ...now.slice(0, head).map(toCompared('same')),
    ...compareLines(old.slice(head), now.slice(head)),
  ]
}

/** Compares two lists by their longest common subsequence. */
function compareLines(old: readonly Line[], now: readonly Line[]): readonly ComparedLine[] {
  if (old.length * now.length > maxPairs) return compareLongLists(old, now)
  const width = now.length + 1
  /** For each pair of positions, the number of lines that the two rests have in common. */
  const common = new Uint32Array((old.length + 1) * width)
  const at = (row: number, column: number): number => common[row * width + column] ?? 0
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = now.length - 1; column >= 0; column--)
      common[row * width + column] =
        old[row]?.key === now[column]?.key
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))

  const lines: ComparedLine[] = []
  let column = 0
  for (const [row, { text, key }] of old.entries()) {
    if (key !== now[column]?.key && at(row, column) === at(row + 1, column)) {
      lines.push({ kind: 'removed', text })
      continue
    }
    // The line is common. The lines in front of its match are new.
    const match = now.findIndex((line, index) => index >= column && line.key === key)
    lines.push(...now.slice(column, match).map(toCompared('added')))
    lines.push(...now.slice(match, match + 1).map(toCompared('same')))
    column = match + 1
  }
  return [...lines, ...now.slice(column).map(toCompared('added'))]
}

/** Compares two lists of many lines: only what is before their common end. */
function compareLongLists(old: readonly Line[], now: readonly Line[]): readonly ComparedLine[] {
  let tail = 0
  while (
    tail < Math.min(old.length, now.length) &&
    old.at(-1 - tail)?.key === now.at(-1 - tail)?.key
  )
    tail++
  if (tail === 0) return [...old.map(toCompared('removed')), ...now.map(toCompared('added'))]
  return [
    ...compareLines(old.slice(0, -tail), now.slice(0, -tail)),
    ...now.slice(-tail).map(toCompared('same')),
  ]
}

const toCompared =
  (kind: ComparedLine['kind']) =>
  ({ text }: Line): ComparedLine => ({ kind, text })

function linesOf(value: unknown): readonly Line[] {
  const lines = JSON.stringify(value, null, 2).split('\n')
  return lines.map((text) => ({ text, key: text.replace(/,$/, '') }))
}
