/** Prints a filter as a client sends it. */

import type { Filter } from './filter.js'

/**
 * The text that is read as this very filter, whatever its values hold, if it is no longer, wider or deeper than what is
 * read: 4,096 characters, 64 comparisons, 32 parentheses within each other. It is not encoded for a URL yet.
 */
export function formatFilter(filter: Filter): string {
  return 'terms' in filter
    ? filter.terms.map(printTerm).join(` ${filter.op} `)
    : `${filter.attribute} ${filter.op} ${quoted(filter.value)}`
}

function printTerm(term: Filter): string {
  return 'terms' in term ? `(${formatFilter(term)})` : formatFilter(term)
}

/** As a word of a Windows command line: backslashes count only before a quote. */
function quoted(value: string): string {
  let printed = ''
  let slashes = 0
  for (const character of value) {
    printed += character === '"' ? `${'\\'.repeat(slashes + 1)}"` : character
    slashes = character === '\\' ? slashes + 1 : 0
  }
  return `"${printed}${'\\'.repeat(slashes)}"`
}
