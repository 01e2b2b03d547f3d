/** Parses filters of the contract to the values that `formatFilter` takes. */

import { itemSyntax } from '../../../src/core/filter/contract-filters.js'
import type { Expression } from '../../../src/core/filter/expression.js'
import { type FilterSyntax, parseExpression } from '../../../src/core/filter/parse-expression.js'

/** Returns the filter with the names of its attributes; undefined if the text is blank. */
export function parseFilter(text: string): unknown {
  return parseWith(itemSyntax, text)
}

/** Parses a filter of any language. */
export function parseWith<Result>(syntax: FilterSyntax<Result>, text: string): unknown {
  const toFilter = (part: Expression<Result>): unknown => {
    if ('terms' in part) return { op: part.op, terms: part.terms.map(toFilter) }
    if (!('attribute' in part)) return { op: part.op, term: toFilter(part.term) }
    const [name] = [...syntax.attributes].find(([, each]) => each === part.attribute) ?? []
    return { ...part, attribute: name }
  }
  const expression = parseExpression(text, syntax, Number.POSITIVE_INFINITY)
  return expression && toFilter(expression)
}
