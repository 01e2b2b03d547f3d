/** Reads the escapes of characters in JSON, URLs and HTML. */

const encoder = new TextEncoder()

const percentEscape = /^%([\da-f]{2})$/i
const jsonEscape = /^\\(?:(["'\\/bfnrt])|u([\da-f]{4})(?:\\u([\da-f]{4}))?)$/i
const entity = /^&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));$/i
/** The beginning of an escape. */
const open =
  /^(?:%[\da-f]?|\\(?:u[\da-f]{0,3}|ud[89ab][\da-f]{2}(?:\\(?:u[\da-f]{0,3})?)?)?|&(?:#(?:\d{0,7}|x[\da-f]{0,6})|[a-z]{0,4}))$/i

const controls: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

/**
 * Reads an escape: `%2f`, of one byte; `\n`, `\/` or `\u00e9`, of one character, which can need two
 * of these; `&amp;`, `&#47;` or `&#x2f;`.
 * @returns The bytes of the character; none if the escape is not complete; undefined if the text is
 * not an escape.
 */
export function readEscape(text: string): Uint8Array | undefined {
  const percent = percentEscape.exec(text)
  if (percent !== null) return Uint8Array.of(Number.parseInt(String(percent[1]), 16))
  const character = readJsonEscape(text) ?? readEntity(text)
  if (character !== undefined) return encoder.encode(character)
  return open.test(text) ? new Uint8Array() : undefined
}

function readJsonEscape(text: string): string | undefined {
  const [found, short, first, second = ''] = jsonEscape.exec(text) ?? []
  if (found === undefined) return undefined
  if (short !== undefined) return controls[short] ?? short
  const units = [first, second].filter(Boolean).map((unit) => Number.parseInt(String(unit), 16))
  const character = String.fromCharCode(...units)
  return /^[^\ud800-\udfff]$/u.test(character) ? character : undefined
}

function readEntity(text: string): string | undefined {
  const [found, decimal, hex, name] = entity.exec(text) ?? []
  if (found === undefined) return undefined
  if (name !== undefined) return entities[name.toLowerCase()]
  const code = Number(decimal ?? `0x${hex}`)
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}
