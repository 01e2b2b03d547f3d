/** Reads the query parameters that a route knows; others are not looked at. */

import { InvalidInputError } from '../errors.js'
import type { QueryParameter } from './routes.js'

/** How queries are read. */
export interface QueryReading {
  /** Whether parameters beyond the published service are read. */
  readonly extensions: boolean
  /** Other names of parameters, each with the name that the routes know. */
  readonly names: Readonly<Record<string, string>>
}

/**
 * Puts each parameter of the query into the operation's input. A plus sign is a space as forms write it, unless a
 * `%20` stands before the first: a client that escapes spaces so, and leaves a plus sign as it is, means a plus sign.
 * @throws InvalidInputError if one is given twice, is not UTF-8 or not what it should be; or if a filter may have been cut
 * at an ampersand that its client has not escaped: parameters that are unknown have no quotes.
 */
export function readQuery(
  known: Readonly<Record<string, QueryParameter>>,
  query: string,
  input: Record<string, unknown>,
  { extensions, names }: QueryReading,
): void {
  const given = parametersOf(query)
  const unreadable = parametersOf(invalidUtf8Params(query))
  const others = [...given].filter(([name]) => !Object.hasOwn(known, names[name] ?? name))
  if ('filter' in known && others.some((parameter) => parameter.join().includes('"')))
    throw InvalidInputError.at('filter', 'must have its ampersands escaped')
  for (const [name, { member, type, extension }] of Object.entries(known)) {
    if (extension && !extensions) continue
    const aliases = [name, ...aliasesOf(names, name)]
    const [value, ...more] = aliases.flatMap((one) => given.getAll(one))
    if (value === undefined) continue
    if (aliases.some((one) => unreadable.has(one)))
      throw InvalidInputError.at(name, 'must be UTF-8')
    if (more.length > 0) throw InvalidInputError.at(name, 'must not be given twice')
    input[member] = readers[type](value, name)
  }
}

/** The parameters of a query. A plus sign is a space, unless the client has spelled one as `%20` before. */
export function parametersOf(query: string): URLSearchParams {
  return new URLSearchParams(/^[^+]*%20/.test(query) ? query.replaceAll('+', '%2B') : query)
}

/** The parameters whose bytes are not UTF-8. */
function invalidUtf8Params(query: string): string {
  const parts = query.split('&')
  return parts.filter((part) => !isUtf8(part)).join('&')
}

/** Whether the bytes that are escaped in it are UTF-8. A percent sign that begins no escape is itself. */
function isUtf8(text: string): boolean {
  try {
    decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '%25'))
    return true
  } catch {
    return false
  }
}

const readers = {
  string: (value: string): string => value,
  boolean(value: string, name: string): boolean {
    if (value !== 'true' && value !== 'false')
      throw InvalidInputError.at(name, 'must be true or false')
    return value === 'true'
  },
  integer(value: string, name: string): number {
    if (!/^\d{1,15}$/.test(value)) throw InvalidInputError.at(name, 'must be an integer')
    return Number(value)
  },
}

function aliasesOf(names: QueryReading['names'], name: string): readonly string[] {
  return Object.keys(names).filter((other) => names[other] === name)
}
