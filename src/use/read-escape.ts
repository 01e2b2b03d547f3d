/** Reads the escapes of characters in JSON, URLs and HTML. */

const encoder = new TextEncoder()

/** The maximum number of backslashes before the second half of a character in JSON. */
const maxBackslashes = 7

const shortEscapes: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}
const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
}
const entityNames = Object.keys(entities)

/** A text that was read as an escape. */
export interface Escape {
  /** The bytes of the character; undefined if the escape is not complete. */
  readonly bytes: Uint8Array | undefined
  /** True if the text is also the beginning of a longer escape. */
  readonly isOpen: boolean
}

const invalid: Escape = { bytes: undefined, isOpen: false }
const unfinished: Escape = { bytes: undefined, isOpen: true }

/**
 * Reads an escape: `%2f`, of one byte; `\n` or `\u00e9`, of one character, which can need two of
 * these; `&amp;`, `&#47;` or `&#x2f;`. Where backslashes are ignored, `\"` and `\/` need no escape.
 * @param text - Begins with `%`, `\` or `&`.
 */
export function readEscape(text: string): Escape {
  if (text.length === 1) return unfinished
  if (text.startsWith('%')) return readPercent(text)
  return text.startsWith('&') ? readEntity(text) : readJsonEscape(text)
}

function readPercent(text: string): Escape {
  const code = readDigits(text, 1, 16)
  if (code === undefined) return invalid
  return text.length < 3 ? unfinished : { bytes: Uint8Array.of(code), isOpen: false }
}

function readEntity(text: string): Escape {
  if (text[1] !== '#') {
    if (entities[text] !== undefined) return toEscape(entities[text])
    return entityNames.some((name) => name.startsWith(text)) ? unfinished : invalid
  }
  const isHex = text[2] === 'x' || text[2] === 'X'
  const start = isHex ? 3 : 2
  const isClosed = text.endsWith(';')
  const digits = isClosed ? text.slice(0, -1) : text
  if (digits.length <= start) return isClosed ? invalid : unfinished
  const code = readDigits(digits, start, isHex ? 16 : 10)
  if (code === undefined || digits.length > start + 7) return invalid
  if (!isClosed) return unfinished
  return code <= 0x10ffff ? toEscape(String.fromCodePoint(code)) : invalid
}

function readJsonEscape(text: string): Escape {
  if (text[1] !== 'u') return toEscape(shortEscapes[text.slice(1)])
  const unit = text.slice(2, 6)
  if (unit === '') return unfinished
  const first = readDigits(unit, 0, 16)
  if (first === undefined) return invalid
  if (unit.length < 4) return unfinished
  const rest = text.slice(6)
  const isPair = first >= 0xd800 && first < 0xdc00
  if (!isPair) return rest === '' ? toEscape(String.fromCharCode(first)) : invalid
  const end = countBackslashes(rest)
  if (end === rest.length) return end <= maxBackslashes ? unfinished : invalid
  if (rest[end] !== 'u') return invalid
  const second = rest.slice(end + 1)
  if (second.length < 4) return unfinished
  return toEscape(String.fromCharCode(first, readDigits(second, 0, 16) ?? 0))
}

function countBackslashes(text: string): number {
  let count = 0
  while (text[count] === '\\') count++
  return count
}

function toEscape(character: string | undefined): Escape {
  if (character === undefined) return invalid
  return { bytes: encoder.encode(character), isOpen: false }
}

/** Returns the rest of a text as a number; undefined if a character is not a digit. */
function readDigits(text: string, start: number, base: 10 | 16): number | undefined {
  let number = 0
  for (const character of text.slice(start)) {
    const digit = Number.parseInt(character, base)
    if (Number.isNaN(digit)) return undefined
    number = number * base + digit
  }
  return number
}
