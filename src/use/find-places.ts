/** Finds the references in a request, and fills their values in. */

import { decodeBase64, isBase64, toBase64 } from '../base/base64.js'
import { decodeUtf8 } from '../base/decode-utf8.js'
import { InvalidInputError, SecretUseError } from '../errors.js'
import { findTags } from '../references/find-tags.js'
import {
  parseSecretReference,
  type SecretReference,
  toText,
  tryParseReference,
} from '../references/secret-reference.js'
import { hasSameNames, hasTag, mapBody, mapForm, toFormat, type Visit } from './map-body.js'
import { decodeEscapes } from './method-override.js'
import type { RequestBody, SentRequest } from './read-request.js'
import type { Signature } from './sign-request.js'

/** A place of a request in which a value is filled in. */
export interface Place {
  /** Such as `header:authorization`, `query:key` or `body:client_secret`. */
  readonly name: string
  readonly reference: SecretReference
  /** The reference in canonical form. */
  readonly text: string
}

/** A request whose references are not filled in. */
export interface RequestTemplate {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: RequestBody | undefined
  /** Each pair of a reference and a place, once. */
  readonly places: readonly Place[]
  readonly signature?: Signature | undefined
}

/** Returns true if the reference can be in the place, which is not a header. */
export type IsEnabled = (place: Place) => Promise<boolean>

/**
 * Finds the references in the headers of a request, and those in enabled places of its path, query
 * and body. All other references are left as text.
 * @throws InvalidInputError (400) if a reference in a header is invalid.
 * @throws SecretUseError (403) if a server could read a different value at a place in the body.
 */
export async function findPlaces(
  request: Omit<RequestTemplate, 'places'>,
  isEnabled: IsEnabled | undefined,
): Promise<readonly Place[]> {
  const places = new Map<string, Place>()
  const add = (name: string, reference: SecretReference): void => {
    const place = { name, reference, text: toText(reference) }
    places.set(keyOf(place), place)
  }
  mapHeaders(request.headers, (name, text) => {
    for (const tag of findTags(text)) {
      if (!tag.isClosed) throw InvalidInputError.at(name, 'must close {{ with }} after op://')
      add(name, parseSecretReference(tag.text))
    }
    return text
  })
  const enabled = [...places.values()]
  if (isEnabled === undefined) return enabled
  places.clear()
  mapUrlAndBody(request, (name, text) => {
    for (const tag of findTags(text)) {
      const reference = tag.isClosed ? tryParseReference(tag.text) : undefined
      if (reference !== undefined) add(name, reference)
    }
    return text
  })
  for (const place of places.values()) if (await isEnabled(place)) enabled.push(place)
  const isInBody = enabled.some(({ name }) => name.startsWith('body:'))
  if (isInBody && request.body instanceof Uint8Array && hasSameNames(request.body))
    throw new SecretUseError(`the body has two members of the same name: ${request.url.origin}`, {
      reason: 'SAME_NAME',
    })
  return enabled
}

/**
 * Identifies a place with its reference. This is unambiguous, because no place has a line break.
 */
function keyOf({ name, text }: Pick<Place, 'name' | 'text'>): string {
  return `${text}\n${name}`
}

/** The user name and the password of `Authorization: Basic`. */
interface BasicCredentials {
  readonly pair: string
  readonly user: string
  readonly password: string
  /** False if the request contained the password itself instead of a reference. */
  readonly isPasswordFilled: boolean
}

/** A request with its values. */
export interface FilledRequest extends SentRequest {
  /** The credentials that were encoded. */
  readonly credentials: readonly BasicCredentials[]
}

/**
 * Returns the request with the values in its places.
 * @param values - The value of each place.
 * @throws SecretUseError (403) if a value has characters that its place does not allow. The
 * platform's own error would contain the value.
 */
export function fillPlaces(
  template: RequestTemplate,
  values: ReadonlyMap<Place, string>,
): FilledRequest {
  const byKey = new Map([...values].map(([place, value]) => [keyOf(place), value]))
  const fill: Visit = (name, text) => {
    let filled = ''
    let position = 0
    for (const { start, end, isClosed, text: reference } of findTags(text)) {
      const parsed = isClosed ? tryParseReference(reference) : undefined
      const value = parsed && byKey.get(keyOf({ name, text: toText(parsed) }))
      if (value === undefined) continue
      filled += text.slice(position, start) + value
      position = end
    }
    return filled + text.slice(position)
  }
  const isFilled = template.places.some(({ name }) => !name.startsWith('header:'))
  const { url, body } = isFilled ? mapUrlAndBody(template, fill) : template
  return { url, body, ...mapHeaders(template.headers, fill) }
}

function mapHeaders(
  headers: Headers,
  visit: Visit,
): Pick<FilledRequest, 'headers' | 'credentials'> {
  const mapped = new Headers(headers)
  const credentials: BasicCredentials[] = []
  for (const [name, sent] of headers) {
    const decoded = name === 'authorization' ? decodeBasic(sent) : undefined
    const text = decoded === undefined ? sent : `Basic ${decoded}`
    let filled = visit(`header:${name}`, text)
    if (filled === text) continue
    const pair = filled.replace(basicScheme, '')
    const isBasic = name === 'authorization' && basicScheme.test(filled)
    if (isBasic && (decoded !== undefined || pair.includes(':'))) {
      credentials.push(toCredentials(pair, text))
      filled = `Basic ${toBase64(new TextEncoder().encode(pair))}`
    }
    if (!/^[\t\x20-\x7e]*$/.test(filled))
      throw new SecretUseError('the value has characters that a header cannot have', {
        reason: 'CHARACTERS',
      })
    mapped.set(name, filled)
  }
  return { headers: mapped, credentials }
}

const basicScheme = /^basic +/i

/** Decodes Basic credentials. Returns undefined if they contain no tag. */
function decodeBasic(text: string): string | undefined {
  if (!basicScheme.test(text)) return undefined
  const encoded = text.replace(basicScheme, '').trim()
  const padded = encoded.padEnd(Math.ceil(encoded.length / 4) * 4, '=')
  const bytes = isBase64(padded) ? decodeBase64(padded) : undefined
  const pair = bytes && decodeUtf8(bytes)
  return pair !== undefined && hasTag(pair) ? pair : undefined
}

function toCredentials(pair: string, text: string): BasicCredentials {
  const [user = ''] = pair.split(':', 1)
  const password = pair.slice(user.length + 1)
  const tail = text.slice([...findTags(text)].at(-1)?.end)
  return { pair, user, password, isPasswordFilled: !tail.endsWith(`:${password}`) }
}

/** Replaces texts of the path, the query and the body. */
function mapUrlAndBody(
  { url, headers, body }: Pick<RequestTemplate, 'url' | 'headers' | 'body'>,
  visit: Visit,
): Pick<FilledRequest, 'url' | 'body'> {
  const mapped = new URL(url)
  const path = mapPath(url.pathname, (text) => visit('path', text))
  if (path !== url.pathname) mapped.pathname = path
  const query = mapForm(url.search, (name, value) => visit(`query:${name}`, value))
  if (query !== url.search) mapped.search = query
  const format = toFormat(headers.get('content-type') ?? '')
  const isRead = format !== undefined && body instanceof Uint8Array
  return { url: mapped, body: isRead ? mapBody(body, format, visit) : body }
}

/** A tag in an encoded path. */
const pathTag = /(?:%7b){2}(?:(?!%7[bd])[^{}])*(?:%7d){2}/gi

function mapPath(path: string, visit: (text: string) => string): string {
  return path.replace(pathTag, (encoded) => {
    const text = decodeEscapes(encoded)
    const filled = visit(text)
    return filled === text ? encoded : toSegment(filled)
  })
}

/**
 * Encodes a value for a path. The characters `:` and `@` are kept, because some APIs demand that.
 */
function toSegment(value: string): string {
  if (/^\.{0,2}$|[/\\\p{Cc}\p{Cs}]/u.test(value))
    throw new SecretUseError('the value is not one segment of a path', { reason: 'CHARACTERS' })
  return encodeURIComponent(value).replace(/%3A/g, ':').replace(/%40/g, '@')
}
