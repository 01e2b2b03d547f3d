/** Parses the JSON of an export within limits. */

import { endOfJsonString } from '../base/json-text.js'
import { parseJson } from '../base/parse-json.js'
import { InvalidInputError } from '../index.js'
import type { ReadLimits } from './limits.js'

const quote = 0x22

/**
 * Returns the value of a JSON text. Its size is measured before it is parsed, because a few bytes
 * can become an object many times as large.
 * @throws InvalidInputError if the text is not JSON or exceeds a limit.
 */
export function parseExportJson(text: string, limits: ReadLimits): unknown {
  checkShape(text, limits)
  const value = parseJson(text)
  if (value === undefined) throw InvalidInputError.at('', 'the text is not valid JSON')
  return value
}

/** Counts levels and elements in linear time, without allocation. */
function checkShape(text: string, { depth: maxDepth, elements: maxElements }: ReadLimits): void {
  let depth = 0
  let elements = 0
  for (let offset = 0; offset < text.length; offset++) {
    const code = text.charCodeAt(offset)
    if (code === quote) offset = endOfJsonString(text, offset) - 1
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
