/** Parses filters to the values that `formatFilter` takes. */

import { keepCase } from '../../../src/base/fold-case.js'
import { itemAttributes } from '../../../src/core/filter/attributes.js'
import type { AttributeTable, Expression } from '../../../src/core/filter/expression.js'
import { parseExpression } from '../../../src/core/filter/parse-expression.js'

/** Returns the filter of items with the names of its attributes; undefined if the text is blank. */
export function parseFilter(text: string): unknown {
  return parseWith(itemAttributes, text)
}

/** Parses a filter of these attributes. */
export function parseWith<Result>(attributes: AttributeTable<Result>, text: string): unknown {
  const toFilter = (part: Expression<Result>): unknown => {
    if ('terms' in part) return { op: part.op, terms: part.terms.map(toFilter) }
    if (!('attribute' in part)) return { op: part.op, term: toFilter(part.term) }
    const [name] = Object.entries(attributes).find(([, each]) => each === part.attribute) ?? []
    return { ...part, attribute: name }
  }
  const words = { fold: keepCase, maxWordLength: Number.POSITIVE_INFINITY }
  const expression = parseExpression(text, attributes, words)
  return expression && toFilter(expression)
}
