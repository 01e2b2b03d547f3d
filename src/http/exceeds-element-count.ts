/** Counts the members and elements of a JSON text before it is parsed. */

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const openBrace = 0x7b

/**
 * Returns true if a JSON text has more than `limit` members of objects and elements of arrays, in
 * linear time and without allocation. An empty object or array counts as one. For bytes that are
 * not JSON, the result is unspecified.
 */
export function exceedsElementCount(json: Uint8Array, limit: number): boolean {
  let count = 0
  for (let offset = 0; offset < json.length; offset++) {
    const byte = json[offset]
    if (byte === quote) offset = skipString(json, offset)
    else if (byte === comma || byte === openBracket || byte === openBrace) count++
    if (count > limit) return true
  }
  return false
}

/**
 * Returns the offset of the quote that ends the string beginning at `start`, or the length of the
 * text if the string does not end.
 */
function skipString(json: Uint8Array, start: number): number {
  for (let offset = start + 1; ; offset++) {
    offset = json.indexOf(quote, offset)
    if (offset < 0) return json.length
    let slashes = 0
    while (json[offset - 1 - slashes] === backslash) slashes++
    if (slashes % 2 === 0) return offset
  }
}
