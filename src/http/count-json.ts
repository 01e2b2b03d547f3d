/** Counts what stands in JSON before it is parsed: a parser takes its time for each member, however short. */

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const openBrace = 0x7b

/**
 * Whether the bytes of a JSON text hold more than `limit` members of objects and elements of arrays. Of bytes that are
 * no JSON it says something, too, in time linear in their number; nothing is kept.
 */
export function holdsMoreThan(json: Uint8Array, limit: number): boolean {
  let count = 0
  for (let place = 0; place < json.length; place++) {
    const byte = json[place]
    if (byte === quote) place = endOfString(json, place)
    else if (byte === comma || byte === openBracket || byte === openBrace) count++
    if (count > limit) return true
  }
  return false
}

/** The place of the quote that ends the string which begins at `start`; the end of all if there is none. */
function endOfString(json: Uint8Array, start: number): number {
  for (let place = start + 1; ; place++) {
    place = json.indexOf(quote, place)
    if (place < 0) return json.length
    let slashes = 0
    while (json[place - 1 - slashes] === backslash) slashes++
    if (slashes % 2 === 0) return place
  }
}
