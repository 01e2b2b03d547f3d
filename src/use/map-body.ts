/** Visits and replaces the texts of a body in which references can be. */

import { concatBytes } from '../base/concat-bytes.js'
import { decodeUtf8 } from '../base/decode-utf8.js'
import { endOfJsonString, escapePointerToken } from '../base/json-text.js'
import { parseJson } from '../base/parse-json.js'
import { SecretUseError } from '../errors.js'
import { findTags } from '../references/find-tags.js'

const encoder = new TextEncoder()

/**
 * Called with each string that can contain references, and the name of its place, such as
 * `body:client_secret`. Returns the string that replaces it.
 */
export type Visit = (place: string, text: string) => string

/** The format of a body. `multipart/form-data` has a boundary. */
export type BodyFormat =
  | { readonly type: 'form' }
  | { readonly type: 'json' }
  | { readonly type: 'multipart'; readonly boundary: string }

/**
 * Returns the format of a body, or undefined unless it is exactly one known media type in UTF-8. In
 * another encoding, or as another type, a server would find other names and values in the same
 * bytes.
 */
export function toFormat(contentType: string): BodyFormat | undefined {
  const [type = '', ...parameters] = contentType.split(';')
  const isUtf8 = parameters.every(
    (text) => !/charset/i.test(text) || /^\s*charset="?utf-8"?\s*$/i.test(text),
  )
  if (!isUtf8 || contentType.includes(',')) return undefined
  const name = type.trim().toLowerCase()
  if (name === 'application/x-www-form-urlencoded') return { type: 'form' }
  if (/^application\/(?:[\w.-]+\+)?json$/.test(name)) return { type: 'json' }
  const boundary = /^\s*boundary=(?:"([\w'()+./:=? -]{1,70})"|([\w'+.-]{1,70}))\s*$/i.exec(
    parameters.join(';'),
  )
  if (name !== 'multipart/form-data' || boundary === null) return undefined
  return { type: 'multipart', boundary: String(boundary[1] ?? boundary[2]) }
}

/** Returns the body with its strings replaced, or the same bytes if nothing is replaced. */
export function mapBody(
  body: Uint8Array<ArrayBuffer>,
  format: BodyFormat,
  visit: Visit,
): Uint8Array<ArrayBuffer> {
  if (format.type === 'multipart') return mapParts(body, format.boundary, visit)
  const text = decodeUtf8(body)
  if (text === undefined) return body
  const mapped =
    format.type === 'json'
      ? mapJson(text, visit)
      : mapForm(text, (name, value) => visit(`body:${escapePointerToken(name)}`, value))
  return mapped === text ? body : encoder.encode(mapped)
}

/**
 * Returns true if two JSON members have the same name, so that servers may read different values.
 */
export function hasSameNames(body: Uint8Array): boolean {
  const text = decodeUtf8(body)
  if (text === undefined || typeof parseJson(text) !== 'object') return false
  return [...findStrings(text)].some(({ isRepeated }) => isRepeated)
}

/**
 * Returns a form or a query with its values replaced, or the same string if nothing is replaced.
 */
export function mapForm(text: string, visit: (name: string, value: string) => string): string {
  const mapped = new URLSearchParams()
  let isSame = true
  for (const [name, value] of new URLSearchParams(text)) {
    const next = visit(name, value)
    isSame &&= next === value
    mapped.append(name, next)
  }
  return isSame ? text : mapped.toString()
}

/** Replaces strings of JSON, and keeps everything else, such as the digits of numbers. */
function mapJson(text: string, visit: Visit): string {
  if (typeof parseJson(text) !== 'object') return text
  let mapped = ''
  let position = 0
  for (const { start, end, place } of findStrings(text)) {
    // A string without either character contains no reference.
    if (place === undefined || !/[{\\]/.test(text.slice(start, end))) continue
    const value: string = JSON.parse(text.slice(start, end))
    if (!hasTag(value)) continue
    const next = visit(place, value)
    if (next === value) continue
    mapped += text.slice(position, start) + JSON.stringify(next)
    position = end
  }
  return mapped + text.slice(position)
}

/** A string in JSON text: the name of a member, or a value. */
interface JsonString {
  readonly start: number
  readonly end: number
  /** The place of a value, such as `body:outer/inner`. Undefined for a name. */
  readonly place?: string
  /** True if the object already has a member of this name. */
  readonly isRepeated: boolean
}

/** An object or a list around a string. */
interface Level {
  readonly prefix: string
  /** The names of an object. Undefined for a list. */
  readonly names: Set<string> | undefined
  /** The name of the member, or the index in the list, that comes next. */
  name: string
  index: number
}

/**
 * Yields the strings of a JSON text. A nested member is `body:outer/inner`, with names escaped as
 * in a JSON Pointer (RFC 6901). JavaScript engines concatenate these strings lazily, so depth costs
 * nothing.
 */
function* findStrings(text: string): Generator<JsonString> {
  const levels: Level[] = []
  let isName = false
  const placeOf = ({ prefix, names, name, index }: Level): string =>
    prefix + (names === undefined ? index : escapePointerToken(name))
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1)
    const character = text[at]
    if (character === '"' && level !== undefined) {
      const [start, end] = [at, endOfJsonString(text, at)]
      at = end - 1
      if (isName) {
        level.name = JSON.parse(text.slice(start, end))
        yield { start, end, isRepeated: level.names?.has(level.name) === true }
        level.names?.add(level.name)
      } else yield { start, end, place: placeOf(level), isRepeated: false }
    } else if (character === '{' || character === '[') {
      isName = character === '{'
      const prefix = level === undefined ? 'body:' : `${placeOf(level)}/`
      levels.push({ prefix, names: isName ? new Set() : undefined, name: '', index: 0 })
    } else if (character === '}' || character === ']') levels.pop()
    else if (character === ':') isName = false
    else if (character === ',' && level !== undefined) {
      level.index++
      isName = level.names !== undefined
    }
  }
}

/** The headers of a text part: as `FormData` is sent, and with a text type. */
const textPart =
  /^content-disposition: *form-data; *name="([^"\\\r\n]*)"(?:\r\ncontent-type: *text\/plain(?:; *charset="?utf-8"?)?)?$/i

/** Replaces the texts of `multipart/form-data` (RFC 7578). Files and other parts are kept. */
function mapParts(
  body: Uint8Array<ArrayBuffer>,
  boundary: string,
  visit: Visit,
): Uint8Array<ArrayBuffer> {
  const delimiter = `--${boundary}`
  // The string has one character for each byte.
  const parts = `\r\n${new TextDecoder('latin1').decode(body)}`.split(`\r\n${delimiter}`)
  const last = parts.findIndex((part) => part.startsWith('--'))
  const pieces: Uint8Array[] = []
  let [written, start] = [0, -2]
  for (const [index, part] of parts.entries()) {
    const headEnd = part.indexOf('\r\n\r\n')
    const isInside = index > 0 && index < last && part.startsWith('\r\n') && headEnd > 0
    const head = isInside ? decodeUtf8(body.subarray(start + 2, start + headEnd)) : undefined
    const name = textPart.exec(head ?? '')?.[1]
    const end = start + part.length
    const value = name && decodeUtf8(body.subarray(start + headEnd + 4, end))
    if (value) {
      const next = visit(`form:${name}`, value)
      if (next !== value) {
        if (next.includes(delimiter))
          throw new SecretUseError('the value contains the boundary of the form', {
            reason: 'CHARACTERS',
          })
        pieces.push(body.subarray(written, start + headEnd + 4), encoder.encode(next))
        written = end
      }
    }
    start = end + 2 + delimiter.length
  }
  return pieces.length === 0 ? body : concatBytes([...pieces, body.subarray(written)])
}

/** Returns true if a string contains something that may be a reference. */
export function hasTag(text: string): boolean {
  return !findTags(text).next().done
}
