/** Reads query parameters into the input of an operation. */

import { InvalidInputError } from '../errors.js'
import type { QueryParameter } from './routes.js'

/** Options of {@link readQuery}. */
export interface QueryOptions {
  /** If true, parameters that the published service does not have are read as well. */
  readonly extensions: boolean
  /** Aliases of parameters, each with the name that the routes use. */
  readonly aliases: Readonly<Record<string, string>>
}

/** The maximum number of parameters in a query. */
const maxParameters = 100

/**
 * Reads the parameters of a route from `query` into `input`, the input of the operation. Other
 * parameters are ignored. An alias is ignored if its value does not have the parameter's type.
 * @throws InvalidInputError if the query has more than 100 parameters, or if a parameter occurs
 * twice, is not UTF-8 or has the wrong type. If there is a `filter`, an unknown parameter must not
 * contain a quote either, because the client then forgot to escape an ampersand in its filter.
 */
export function readQuery(
  parameters: Readonly<Record<string, QueryParameter>>,
  query: string,
  input: Record<string, unknown>,
  { extensions, aliases }: QueryOptions,
): void {
  const find = (name: string): [string, QueryParameter] | undefined => {
    const known = Object.hasOwn(aliases, name) ? String(aliases[name]) : name
    const parameter = Object.hasOwn(parameters, known) ? parameters[known] : undefined
    return parameter && [known, parameter]
  }
  const [, only = '', plainValue = ''] = plainParameter.exec(query) ?? []
  if (only !== '') {
    const [name, parameter] = find(only) ?? []
    if (name !== undefined && parameter !== undefined && (extensions || !parameter.extension))
      input[parameter.member] = parseValue(plainValue, parameter.type, name, only)
    return
  }
  const parts = escapePlusSigns(query).split('&')
  if (parts.length > maxParameters)
    throw InvalidInputError.at('', `the query must not have more than ${maxParameters} parameters`)
  let hasStrayQuote = false
  const names = new Set<string>()
  for (const part of parts) {
    const [rawName = ''] = part.split('=', 1)
    const given = decodeName(rawName)
    const [name, parameter] = find(given) ?? []
    if (name === undefined || parameter === undefined) {
      hasStrayQuote ||= /"|%22/.test(part)
      continue
    }
    const { member, type, extension } = parameter
    if (extension && !extensions) continue
    const rawValue = part.slice(rawName.length + 1)
    if (!isUtf8(rawValue)) throw InvalidInputError.at(name, 'must be UTF-8')
    if (names.has(name)) throw InvalidInputError.at(name, 'must not be given twice')
    input[member] = parseValue(decodeValue(rawValue), type, name, given)
    names.add(name)
  }
  if (hasStrayQuote && names.has('filter'))
    throw InvalidInputError.at('filter', 'must have its ampersands escaped')
}

/** A single parameter without escapes. It is read in a tenth of the time. */
const plainParameter = /^(\w+)=([\w.-]*)$/

/** Parses a query. */
export function parseQuery(query: string): URLSearchParams {
  return new URLSearchParams(escapePlusSigns(query))
}

/**
 * Escapes plus signs if `%20` occurs before the first one, because a client that writes spaces as
 * `%20` means plus signs. Otherwise they mean spaces, as in forms.
 */
function escapePlusSigns(query: string): string {
  return /^[^+]*%20/.test(query) ? query.replaceAll('+', '%2B') : query
}

/**
 * Returns the decoded name. If it is not UTF-8, returns the text itself, which names no parameter.
 */
function decodeName(text: string): string {
  return text.includes('%') && isUtf8(text) ? decodeValue(text) : text
}

function decodeValue(text: string): string {
  return new URLSearchParams(`value=${text}`).get('value') ?? ''
}

/**
 * Returns true if the escaped bytes of `text` are UTF-8. A percent sign without two hexadecimal
 * digits counts as itself.
 */
function isUtf8(text: string): boolean {
  try {
    decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '%25'))
    return true
  } catch {
    return false
  }
}

/**
 * Returns undefined if `given` is an alias of `name` and its value has the wrong type.
 * @throws InvalidInputError if the value has the wrong type.
 */
function parseValue(
  value: string,
  type: QueryParameter['type'],
  name: string,
  given: string,
): unknown {
  const parsed = parsers[type](value)
  if (parsed === undefined && given === name) throw InvalidInputError.at(name, expected[type])
  return parsed
}

const expected = {
  string: 'must be a string',
  boolean: 'must be true or false',
  integer: 'must be an integer',
}

/** Each returns undefined for a string that is not of its type. */
const parsers = {
  string: (text: string): string => text,
  boolean: (text: string): boolean | undefined =>
    text === 'true' || text === 'false' ? text === 'true' : undefined,
  integer: (text: string): number | undefined =>
    /^\d{1,15}$/.test(text) ? Number(text) : undefined,
}
