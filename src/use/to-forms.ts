/** The forms of a value that are searched for. */

import { toBase64 } from '../base/base64.js'
import { concatBytes } from '../base/concat-bytes.js'
import { toHex } from '../base/to-hex.js'

/** The minimum length of a value that is masked. Shorter ones occur by chance. */
const minLength = 8
/** The maximum length of a form in bytes. */
const maxFormBytes = 16_384
/**
 * If a form of a value is too long, the value is cut into pieces of at most this many characters.
 */
const maxPieceLength = 1024

const encoder = new TextEncoder()

/**
 * Returns the lines of a value that are long enough to be masked. Spaces around a line are left
 * out, because headers and reformatted texts lose them.
 */
function toLines(value: string): readonly string[] {
  const lines = value.split(/[\r\n]+/).map((line) => line.trim())
  return lines.filter(({ length }) => length >= minLength)
}

/** Returns true if at least one line of a value is masked. */
export function isRedactable(value: string): boolean {
  return toLines(value).length > 0
}

/**
 * Returns the forms of values: each line, unchanged, in JSON, in a URL, in HTML, in base64 and in
 * hexadecimal digits. None has a line feed, more than 16,384 bytes, or more than 12 bytes for a
 * character. A line with a longer form is cut into pieces of about the same length, each with its
 * own forms.
 */
export function toForms(values: readonly string[]): readonly string[] {
  const forms = [...new Set(values.flatMap(toLines))].flatMap((line) => {
    const whole = encodeText(line)
    const isShort = whole.every((form) => encoder.encode(form).length <= maxFormBytes)
    return isShort ? whole : divide(line).flatMap(encodeText)
  })
  return [...new Set(forms)]
}

function divide(text: string): readonly string[] {
  const characters = [...text]
  const count = Math.ceil(characters.length / maxPieceLength)
  const ends = Array.from({ length: count + 1 }, (_, index) =>
    Math.round((characters.length * index) / count),
  )
  return ends.slice(1).map((end, index) => characters.slice(ends[index], end).join(''))
}

function encodeText(text: string): readonly string[] {
  const bytes = encoder.encode(text)
  const digits = toHex(bytes)
  const base64 = toBase64Forms(bytes)
  return [
    ...new Set([
      text,
      ...toJsonForms(text),
      ...percentStyles.flatMap((style) => toPercentForms(bytes, style)),
      ...htmlStyles.map((style) => text.replace(/[&<>"'=`/]/g, (one) => style[one] ?? one)),
      ...base64,
      ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
      ...[digits, digits.toUpperCase()],
    ]),
  ]
}

/** The forms in strings of JSON, as JavaScript, Python, Go, Gson and .NET write them, and `\/`. */
function toJsonForms(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1)
  const forms = [
    json,
    escapeUnits(json, /[^\0-\x7f]/g),
    escapeUnits(json, /[<>&\u2028\u2029]/g),
    escapeUnits(json, /[<>&='\u2028\u2029]/g),
    escapeUnits(json.replaceAll('\\"', '"'), /[<>&'"+`]|[^\0-\x7f]/g, true),
  ]
  return forms.flatMap((form) => [form, form.replaceAll('/', '\\/')])
}

function escapeUnits(text: string, units: RegExp, isUpperCase = false): string {
  return text.replace(units, (unit) => {
    const digits = unit.charCodeAt(0).toString(16).padStart(4, '0')
    return `\\u${isUpperCase ? digits.toUpperCase() : digits}`
  })
}

/** The characters that are not escaped in URLs, and how a space is written. */
const percentStyles = [
  { kept: /[\w.~-]/, blank: '%20' },
  { kept: /[\w.~/-]/, blank: '%20' },
  { kept: /[\w.~!*'()-]/, blank: '%20' },
  { kept: /[\w.~!*'():@-]/, blank: '%20' },
  { kept: /[\w.~!*'()#$&+,/:;=?@-]/, blank: '%20' },
  { kept: /[\w.-]/, blank: '+' },
  { kept: /[\w.*-]/, blank: '+' },
  { kept: /[\w.~-]/, blank: '+' },
]

function toPercentForms(
  bytes: Uint8Array,
  { kept, blank }: { readonly kept: RegExp; readonly blank: string },
): readonly string[] {
  const escapes = Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte)
    if (character === ' ') return blank
    return kept.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`
  })
  const upper = escapes.map((text) => (text.length === 3 ? text.toUpperCase() : text))
  return [escapes.join(''), upper.join('')]
}

/** The characters that libraries escape in HTML and XML, and how. */
const htmlStyles: readonly Readonly<Record<string, string>>[] = [
  {},
  { '"': '&quot;' },
  { '"': '&quot;', "'": '&#39;' },
  { '"': '&quot;', "'": '&#039;' },
  { '"': '&quot;', "'": '&#x27;' },
  { '"': '&quot;', "'": '&apos;' },
  { '"': '&#34;', "'": '&#39;' },
  { '"': '&quot;', "'": '&#x27;', '=': '&#x3D;', '`': '&#x60;' },
  { '"': '&quot;', "'": '&#39;', '=': '&#x3D;', '`': '&#x60;', '/': '&#x2F;' },
  { '&': '&#38;', '<': '&#60;', '>': '&#62;', '"': '&#34;', "'": '&#39;' },
  { '&': '&#x26;', '<': '&#x3C;', '>': '&#x3E;', '"': '&#x22;', "'": '&#x27;' },
].map((style) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', ...style }))

/**
 * Returns bytes in base64, on their own and as part of longer data. There they can begin at any of
 * three positions in a group of three bytes. The characters at both ends then depend on the
 * neighboring bytes as well, and are left out.
 */
function toBase64Forms(bytes: Uint8Array): readonly string[] {
  const inside = [0, 1, 2].map((shift) => {
    const text = toBase64(concatBytes([new Uint8Array(shift), bytes]))
    const start = shift === 0 ? 0 : shift + 1
    return text.slice(start, Math.floor(((shift + bytes.length) * 4) / 3))
  })
  return [toBase64(bytes).replaceAll('=', ''), ...inside]
}
