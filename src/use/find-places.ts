/** Finds the references in a request, and fills their values in. */

import { toBase64 } from '../base/base64.js'
import { InvalidInputError, SecretUseError } from '../errors.js'
import { findTags } from '../references/create-reference-resolver.js'
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
 * Returns the texts of a form or of JSON that can have a reference, with the names of their
 * places. A member of a member of JSON is `body:outer/inner`.
 */
function findBodyTexts(
  contentType: string,
  body: Uint8Array | undefined,
): readonly (readonly [string, string])[] {
  if (body === undefined) return []
  const text = new TextDecoder().decode(body)
  if (isForm(contentType)) {
    const fields = [...new URLSearchParams(text)]
    if (fields.some(([name]) => hasTag(name))) throw bodyError()
    return fields.map(([name, value]) => [`body:${name}`, value])
  }
  const count = [...findTags(text)].length
  if (isJson(contentType)) {
    const strings = [...walkStrings('body:', parseJson(text))]
    const tags = strings.flatMap(([, value]) => [...findTags(value)])
    // A name of a member, or an escape in a reference, cannot be replaced in the text.
    if (tags.length !== count) throw bodyError()
    return strings
  }
  if (count > 0) throw bodyError()
  return []
}

function bodyError(): SecretUseError {
  return new SecretUseError('a reference in the body must be a value of a form or of JSON')
}

function isForm(contentType: string): boolean {
  return /^application\/x-www-form-urlencoded *(?:;|$)/i.test(contentType)
}

function isJson(contentType: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(contentType)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function* walkStrings(path: string, value: unknown): Generator<readonly [string, string]> {
  if (typeof value === 'string') yield [path, value]
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value))
    yield* walkStrings(path === 'body:' ? `${path}${name}` : `${path}/${name}`, member)
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
 * Fills values in.
 * @throws SecretUseError (403) if a header cannot have a value. The error that the platform throws
 * for such a header contains it.
 */
export function fillPlaces(template: RequestTemplate, values: Values): FilledRequest {
  const url = new URL(template.url)
  const names = template.places.map(({ name }) => name)
  if (names.some((name) => name.startsWith('query:'))) {
    const fields = [...url.searchParams].map(([name, text]) => [name, fillText(text, values)])
    url.search = new URLSearchParams(fields).toString()
  }
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
  const filled = isForm(String(headers.get('content-type')))
    ? new URLSearchParams(
        [...new URLSearchParams(text)].map(([name, value]) => [name, fillText(value, values)]),
      ).toString()
    : fillText(text, values, (value) => JSON.stringify(value).slice(1, -1))
  return new TextEncoder().encode(filled)
}

/** Replaces the tags of a text. */
function fillText(
  text: string,
  values: Values,
  escape: (value: string) => string = (value) => value,
): string {
  let filled = ''
  let position = 0
  for (const { start, end, text: reference } of findTags(text)) {
    const value = values.get(toText(parseSecretReference(reference)))
    filled += text.slice(position, start) + escape(String(value))
    position = end
  }
  return filled + text.slice(position)
}
