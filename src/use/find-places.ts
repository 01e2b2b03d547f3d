/** Finds the references in a request, and fills their values in. */

import { toBase64 } from '../base/base64.js'
import { InvalidInputError, SecretUseError } from '../errors.js'
import { findTags } from '../references/find-tags.js'
import {
  parseSecretReference,
  type SecretReference,
  toText,
} from '../references/secret-reference.js'

/** A place of a request that has a reference. */
export interface Place {
  /** Such as `header:authorization`, `query:key` or `body:client_secret`. */
  readonly name: string
  readonly reference: SecretReference
  /** The reference in its usual form. */
  readonly text: string
}

/** A request whose references are not filled in. */
export interface RequestTemplate {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer> | undefined
  readonly places: readonly Place[]
}

/** Values by the texts of their references. */
export type Values = ReadonlyMap<string, string>

/**
 * Finds the references in the headers, the query and the body of a request.
 * @throws SecretUseError (403) for a reference in any other place, or one that occurs twice.
 * @throws InvalidInputError (400) for a reference that is invalid.
 */
export async function findPlaces(request: Request): Promise<RequestTemplate> {
  const url = new URL(request.url)
  const { method, headers } = request
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
  const texts = [
    ...[...headers].map(([name, text]) => [`header:${name}`, text] as const),
    ...[...url.searchParams].map(([name, text]) => [`query:${name}`, text] as const),
    ...findBodyTexts(headers.get('content-type') ?? '', body),
  ]
  if (hasTag(decode(url.pathname + url.hash)) || [...url.searchParams.keys()].some(hasTag))
    throw new SecretUseError('a reference can only be in a header, the query or the body')
  const places = texts.flatMap(([name, text]) => findInText(name, text))
  const references = new Set(places.map(({ text }) => text.toLowerCase()))
  if (references.size !== places.length)
    throw new SecretUseError('a reference can only occur once in a request')
  return { method, url, headers, body, places }
}

function findInText(name: string, text: string): readonly Place[] {
  return [...findTags(text)].map((tag) => {
    if (!tag.isClosed) throw InvalidInputError.at(name, 'must close {{ with }} after op://')
    const reference = parseSecretReference(tag.text)
    return { name, reference, text: toText(reference) }
  })
}

/**
 * Returns the texts of a form or of JSON that can have a reference, with the names of their places.
 * A member of a member of JSON is `body:outer/inner`, where names are escaped as in a JSON Pointer
 * (RFC 6901).
 */
function findBodyTexts(
  contentType: string,
  body: Uint8Array | undefined,
): readonly (readonly [string, string])[] {
  if (body === undefined) return []
  const text = new TextDecoder().decode(body)
  const format = toFormat(contentType)
  if (format === 'form') {
    const fields = [...new URLSearchParams(text)]
    if (fields.some(([name]) => hasTag(name))) throw bodyError()
    return fields.map(([name, value]) => [`body:${escapeName(name)}`, value])
  }
  const root = format === 'json' ? parseJson(text) : undefined
  if (typeof root === 'object' && root !== null) return findJsonTexts(text, root)
  if (hasTag(text)) throw bodyError()
  return []
}

function bodyError(): SecretUseError {
  return new SecretUseError('a reference in the body must be a value of a form or of JSON')
}

/**
 * Returns the format of a body; undefined for all but one media type in UTF-8. In another encoding,
 * or as another type, a server would find other names and values in the same bytes.
 */
function toFormat(contentType: string): 'form' | 'json' | undefined {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  const isUtf8 = parameters.every(
    (text) => !text.includes('charset') || /^\s*charset="?utf-8"?\s*$/.test(text),
  )
  if (!isUtf8 || contentType.includes(',')) return undefined
  if (type.trim() === 'application/x-www-form-urlencoded') return 'form'
  return /^application\/(?:[\w.-]+\+)?json$/.test(type.trim()) ? 'json' : undefined
}

/**
 * Returns true if the query or the body names another method in one of the ways that frameworks
 * know: a member `_method` or the like of a form or of JSON. A body without a type can be a form.
 */
export function hasMethodOverride({ url, headers, body }: RequestTemplate): boolean {
  const type = headers.get('content-type')?.toLowerCase() ?? 'form-urlencoded'
  const names = findFormNames(url.search.slice(1))
  const text = /form-urlencoded|multipart|json/.test(type) ? new TextDecoder().decode(body) : ''
  if (type.includes('form-urlencoded')) names.push(...findFormNames(text))
  const root = type.includes('json') ? parseJson(text) : undefined
  if (typeof root === 'object' && root !== null) names.push(...Object.keys(root))
  // The names of parts, also as in RFC 5987.
  const parts = type.includes('multipart')
    ? text.matchAll(/\bname\*?\s*=\s*(?:"([^"]*)"|([^;\s]+))/gi)
    : []
  for (const [, quoted, name = ''] of parts)
    names.push(decode(quoted ?? name.replace(/^[\w-]*'[^']*'/, '')))
  return names.some((name) => methodName.test(name))
}

/** PHP reads a point, a blank and a bracket in a name as `_`, and skips blanks before it. */
const methodName = /^\s*(?:[_.\s[]method|x[-_](?:http[-_])?method(?:[-_]override)?)(?:$|[[\0])/i

/** Returns the names of a form. Some servers separate its fields by semicolons. */
function findFormNames(text: string): string[] {
  return text.split(/[&;]/).flatMap((field) => [...new URLSearchParams(field).keys()])
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @throws SecretUseError (403) if servers can find different values of a member in the text. */
function findJsonTexts(text: string, root: object): readonly (readonly [string, string])[] {
  const texts: (readonly [string, string])[] = []
  const names: string[] = []
  const open: (readonly [string, object])[] = [['body:', root]]
  for (const [prefix, outer] of open) {
    for (const [name, member] of Object.entries(outer)) {
      const place = prefix + escapeName(name)
      if (!Array.isArray(outer)) names.push(name)
      if (typeof member === 'string') texts.push([place, member])
      if (typeof member === 'object' && member !== null) open.push([`${place}/`, member])
    }
  }
  if (names.some(hasTag)) throw bodyError()
  // Of members with the same name, only the last one was parsed.
  if ([...findStrings(text)].length !== names.length + texts.length)
    throw new SecretUseError('the body has two members of the same name')
  return texts
}

/**
 * Yields the offsets of the strings in a text that is JSON, which are values and names of members.
 * A regular expression fails for a string with millions of escapes.
 */
function* findStrings(text: string): Generator<readonly [number, number]> {
  let end = 0
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', end)) {
    end = start + 1
    while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1
    end++
    yield [start, end]
  }
}

function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function hasTag(text: string): boolean {
  return !findTags(text).next().done
}

function decode(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}

/** A request with its values. */
export interface FilledRequest {
  readonly url: URL
  readonly headers: Headers
  readonly body: Uint8Array<ArrayBuffer> | undefined
  /** The credentials that were encoded for `Authorization: Basic`. */
  readonly credentials: readonly string[]
}

const basicScheme = /^basic +/i

/**
 * Returns the request with the values in its places.
 * @throws SecretUseError (403) if a value has characters that a header cannot have. The error that
 * the platform would throw contains the value.
 */
export function fillPlaces(template: RequestTemplate, values: Values): FilledRequest {
  const url = new URL(template.url)
  const names = template.places.map(({ name }) => name)
  if (names.some((name) => name.startsWith('query:'))) url.search = fillForm(url.search, values)
  const credentials: string[] = []
  const headers = new Headers(template.headers)
  for (const name of names.filter((one) => one.startsWith('header:'))) {
    const header = name.slice('header:'.length)
    let text = fillText(String(template.headers.get(header)), values)
    const isBasic = header === 'authorization' && basicScheme.test(text)
    const pair = text.replace(basicScheme, '')
    if (isBasic && pair.includes(':')) {
      credentials.push(pair)
      text = `Basic ${toBase64(new TextEncoder().encode(pair))}`
    }
    if (!/^[\t\x20-\x7e]*$/.test(text))
      throw new SecretUseError('the value has characters that a header cannot have')
    headers.set(header, text)
  }
  const body = names.some((name) => name.startsWith('body:'))
    ? fillBody(template, values)
    : template.body
  return { url, headers, body, credentials }
}

function fillBody({ headers, body }: RequestTemplate, values: Values): Uint8Array<ArrayBuffer> {
  const text = new TextDecoder().decode(body)
  const isForm = toFormat(String(headers.get('content-type'))) === 'form'
  return new TextEncoder().encode(isForm ? fillForm(text, values) : fillJson(text, values))
}

/** Fills the values of a form or a query. */
function fillForm(text: string, values: Values): string {
  const fields = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(text))
    fields.append(name, fillText(value, values))
  return fields.toString()
}

/** Fills the strings of a text of JSON, and keeps everything else, such as the digits of numbers. */
function fillJson(text: string, values: Values): string {
  let filled = ''
  let position = 0
  for (const [start, end] of findStrings(text)) {
    const value: string = JSON.parse(text.slice(start, end))
    if (!hasTag(value)) continue
    filled += text.slice(position, start) + JSON.stringify(fillText(value, values))
    position = end
  }
  return filled + text.slice(position)
}

/** Replaces the tags of a text. */
function fillText(text: string, values: Values): string {
  let filled = ''
  let position = 0
  for (const { start, end, text: reference } of findTags(text)) {
    const value = values.get(toText(parseSecretReference(reference)))
    filled += text.slice(position, start) + String(value)
    position = end
  }
  return filled + text.slice(position)
}
