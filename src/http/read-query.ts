/** Reads the query parameters that a route knows; others are not looked at. */

import { InvalidInputError } from '../errors.js'
import type { Route } from './routes.js'

/**
 * Puts each parameter of the query into the operation's input.
 * @throws InvalidInputError if one is given twice, or is not what it should be.
 */
export function readQuery(
  known: NonNullable<Route['query']>,
  query: string,
  input: Record<string, unknown>,
): void {
  const given = new URLSearchParams(query)
  for (const [name, { member, type }] of Object.entries(known)) {
    const [value, ...more] = given.getAll(name)
    if (value === undefined) continue
    if (more.length > 0) throw InvalidInputError.at(name, 'must not be given twice')
    if (type === 'boolean' && value !== 'true' && value !== 'false')
      throw InvalidInputError.at(name, 'must be true or false')
    input[member] = type === 'boolean' ? value === 'true' : value
  }
}
