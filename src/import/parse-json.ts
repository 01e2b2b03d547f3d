/** Parses the JSON of an export within limits. */

import { InvalidInputError } from '../index.js'
import type { ReadLimits } from './limits.js'

const quote = 0x22
const backslash = 0x5c

/**
 * Returns the value of a JSON text. Its size is measured before it is parsed, because a few bytes
 * can become an object many times as large.
 * @throws InvalidInputError if the text is not JSON or exceeds a limit. The message of `JSON.parse`
 * quotes the text, so it is dropped.
 */
export function parseJson(text: string, limits: ReadLimits): unknown {
  checkShape(text, limits)
  try {
    return JSON.parse(text)
  } catch {
    throw InvalidInputError.at('', 'the text is not valid JSON')
  }
}

/** Counts levels and elements in linear time, without allocation. */
function checkShape(text: string, { depth: maxDepth, elements: maxElements }: ReadLimits): void {
  let depth = 0
  let elements = 0
  for (let offset = 0; offset < text.length; offset++) {
    const code = text.charCodeAt(offset)
    if (code === quote) offset = skipString(text, offset)
    else if (code === 0x2c) elements++
    else if (code === 0x5b || code === 0x7b) {
      depth++
      elements++
    } else if (code === 0x5d || code === 0x7d) depth--
    if (depth > maxDepth)
      throw InvalidInputError.at('', `the JSON has more than ${maxDepth} levels`)
    if (elements > maxElements)
      throw InvalidInputError.at('', `the JSON has more than ${maxElements} elements`)
  }
}

/**
 * Returns the offset of the quote that ends a string, or the length of the text if the string does
 * not end.
 */
function skipString(text: string, start: number): number {
  for (let from = start + 1; ; ) {
    const end = text.indexOf('"', from)
    if (end < 0) return text.length
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === backslash) backslashes++
    if (backslashes % 2 === 0) return end
    from = end + 1
  }
}
