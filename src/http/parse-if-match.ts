/** Reads the version that the header `If-Match` requires (RFC 9110, section 13.1.1). */

import { InvalidInputError } from '../errors.js'

/**
 * Returns the version that `If-Match` requires, or undefined for `*`. For a tag that this service
 * never creates, returns 0, a version that no item has.
 * @throws InvalidInputError if it is not exactly one entity tag.
 */
export function parseIfMatch(tag: string): number | undefined {
  if (tag === '*') return undefined
  if (!/^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(tag))
    throw InvalidInputError.at('If-Match', 'must be one entity tag')
  return /^"[1-9]\d{0,14}"$/.test(tag) ? Number(tag.slice(1, -1)) : 0
}
