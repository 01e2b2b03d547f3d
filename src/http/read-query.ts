/** Reads query parameters into the input of an operation. */

import { InvalidInputError } from '../errors.js'
import type { QueryParameter } from './routes.js'

/** Options of {@link readQuery}. */
export interface QueryOptions {
  /** If true, parameters beyond the published service are read. */
  readonly extensions: boolean
  /** Aliases of parameters, each with the name that the routes use. */
  readonly aliases: Readonly<Record<string, string>>
}

/**
 * Reads the parameters of a route from `query` into `input`, the input of the operation. Other
 * parameters are ignored.
 *
 * @throws InvalidInputError if a parameter occurs twice, is not UTF-8, or is not of its type. Also
 * if there is a `filter` and an unknown parameter contains a quote: the client has then not escaped
 * an ampersand in its filter.
 */
export function readQuery(
  parameters: Readonly<Record<string, QueryParameter>>,
  query: string,
  input: Record<string, unknown>,
  { extensions, aliases }: QueryOptions,
): void {
  const [, only = '', plainValue = ''] = plainParameter.exec(query) ?? []
  if (only !== '') {
    const name = Object.hasOwn(aliases, only) ? String(aliases[only]) : only
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (parameter !== undefined && (extensions || !parameter.extension))
      input[parameter.member] = parsers[parameter.type](plainValue, name)
    return
  }
  const values = parseQuery(query)
  const invalid = parseQuery(invalidUtf8Params(query))
  const unknown = [...values].filter(([name]) => !Object.hasOwn(parameters, aliases[name] ?? name))
  if (values.has('filter') && unknown.some((parameter) => parameter.join().includes('"')))
    throw InvalidInputError.at('filter', 'must have its ampersands escaped')
  for (const [name, { member, type, extension }] of Object.entries(parameters)) {
    if (extension && !extensions) continue
    const names = [name, ...aliasesOf(aliases, name)]
    const [value, ...more] = names.flatMap((one) => values.getAll(one))
    if (value === undefined) continue
    if (names.some((one) => invalid.has(one))) throw InvalidInputError.at(name, 'must be UTF-8')
    if (more.length > 0) throw InvalidInputError.at(name, 'must not be given twice')
    input[member] = parsers[type](value, name)
  }
}

/** A single parameter in which nothing is escaped. Read in a tenth of the time. */
const plainParameter = /^(\w+)=([\w.-]*)$/

/**
 * Parses a query. A plus sign is a space, as in forms, unless `%20` occurs before the first plus
 * sign: a client that escapes spaces as `%20` means a plus sign.
 */
export function parseQuery(query: string): URLSearchParams {
  return new URLSearchParams(/^[^+]*%20/.test(query) ? query.replaceAll('+', '%2B') : query)
}

/** Returns the part of a query whose bytes are not UTF-8. */
function invalidUtf8Params(query: string): string {
  const parts = query.split('&')
  return parts.filter((part) => !isUtf8(part)).join('&')
}

/**
 * Returns true if the escaped bytes of `text` are UTF-8. A percent sign without two hexadecimal
 * digits is a literal one.
 */
function isUtf8(text: string): boolean {
  try {
    decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '%25'))
    return true
  } catch {
    return false
  }
}

const parsers = {
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

function aliasesOf(aliases: QueryOptions['aliases'], name: string): readonly string[] {
  return Object.keys(aliases).filter((alias) => aliases[alias] === name)
}
