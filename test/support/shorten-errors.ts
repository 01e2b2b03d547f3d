/** A reporter that shortens failures, so that they show the first difference of two documents. */

import type { Reporter, TestCase } from 'vitest/node'

const maxLength = 400
const maxLines = 60

/** Prints nothing. It must come before the reporter that prints the failures. */
export const shortenErrors: Reporter = {
  onTestCaseResult(test: TestCase) {
    for (const error of test.result().errors ?? []) {
      if (error.diff !== undefined) error.diff = dropLines(shortenLines(error.diff))
      error.message = shortenLines(error.message)
      if (error.stack !== undefined) error.stack = shortenLines(error.stack)
    }
  },
}

/**
 * Cuts each line of more than 400 characters. Of two long lines that follow each other, the parts
 * from a little before their first difference remain.
 */
export function shortenLines(text: string): string {
  const lines = text.split('\n')
  return lines
    .map((line, index) => {
      if (line.length <= maxLength) return line
      const others = [lines[index - 1], lines[index + 1]].filter(
        (other = '') => other.length > maxLength,
      )
      const start = Math.max(0, firstDifference(line, others[0] ?? line) - 40)
      const end = start + maxLength
      return `${start > 0 ? '… ' : ''}${line.slice(start, end)}${end < line.length ? ' …' : ''}`
    })
    .join('\n')
}

/** Drops the lines of a diff after the 60th, because the first difference is what is read. */
export function dropLines(diff: string): string {
  const lines = diff.split('\n')
  const dropped = lines.length - maxLines
  return dropped <= 0 ? diff : [...lines.slice(0, maxLines), `… ${dropped} more lines`].join('\n')
}

/** The first place where two lines of a diff differ, after their colours and signs; 0 if there is none. */
function firstDifference(one: string, other: string): number {
  const first = 20
  for (let index = first; index < Math.min(one.length, other.length); index++)
    if (one[index] !== other[index]) return index
  return 0
}
