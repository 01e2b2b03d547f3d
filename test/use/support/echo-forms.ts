/** The forms in which servers send a value back, written independently of the redactor. */

const percent = (value: string): string =>
  [...Buffer.from(value)]
    .map((byte) => {
      const character = String.fromCharCode(byte)
      return /[\w.~-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`
    })
    .join('')
const upperCase = (escaped: string): string =>
  escaped.replace(/%[\da-f]{2}/g, (escape) => escape.toUpperCase())

const toUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
const python = (value: string): string => JSON.stringify(value).replace(/[^\0-\x7f]/g, toUnit)

/** Returns base64 of the value between other bytes, which are 0 to 2 in front and 1 behind. */
const base64 = (value: string, shift: number): string =>
  Buffer.from(`${'?'.repeat(shift)}${value}?`).toString('base64')

/** The text that a server sends for a value, by the name of the form. */
export const echoForms: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  JSON: (value) => JSON.stringify(value),
  'JSON with escaped slashes': (value) => JSON.stringify(value).replaceAll('/', '\\/'),
  'JSON of Python': python,
  'JSON of PHP': (value) => python(value).replaceAll('/', '\\/'),
  'JSON of Go': (value) => JSON.stringify(value).replace(/[<>&]/g, toUnit),
  'JSON of .NET': (value) =>
    JSON.stringify(value)
      .slice(1, -1)
      .replaceAll('\\"', '"')
      .replace(/[<>&'"+`]|[^\0-\x7f]/g, (unit) => toUnit(unit).toUpperCase().replace('\\U', '\\u')),
  'percent in upper case': (value) => upperCase(percent(value)),
  'percent in lower case': percent,
  'a part of a URL': encodeURIComponent,
  'a whole URL': encodeURI,
  'form with + for blanks': (value) => new URLSearchParams({ value }).toString().slice(6),
  'base64 at any position': (value) =>
    [0, 1, 2].map((shift) => base64(value, shift)).join(' ') +
    Buffer.from(value).toString('base64'),
  base64url: (value) => Buffer.from(value).toString('base64url'),
  'hexadecimal in lower case': (value) => Buffer.from(value).toString('hex'),
  'hexadecimal in upper case': (value) => Buffer.from(value).toString('hex').toUpperCase(),
  'HTML text': (value) =>
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  'HTML attribute': (value) => echoForms['HTML text']?.(value).replaceAll('"', '&quot;') ?? '',
  'HTML entities': (value) =>
    value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`),
}

/**
 * Returns true if eight characters in a row of a form of a line of the value are in the output.
 * Fewer occur by chance, and a shorter line is not masked.
 */
export function isLeaked(output: string, value: string, form: string): boolean {
  const lines = value.split(/[\r\n]+/).map((line) => line.trim())
  return lines
    .filter(({ length }) => length >= 8)
    .flatMap((line) => {
      const encoded = String(echoForms[form]?.(line)).replace(/^"|"$/g, '')
      return form.startsWith('base64') ? base64Parts(line) : [encoded]
    })
    .some((part) =>
      Array.from({ length: Math.max(part.length - 7, 0) }, (_, start) =>
        part.slice(start, start + 8),
      ).some((window) => output.includes(window)),
    )
}

/** The characters of base64 that depend on the value alone. */
function base64Parts(value: string): readonly string[] {
  const length = Buffer.byteLength(value)
  return [0, 1, 2].flatMap((shift) => {
    const text = base64(value, shift)
    const part = text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + length) * 8) / 6))
    return [part, part.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
