/** Finds where a text stops being JSON. The message of `JSON.parse` quotes the text instead. */

/** A place in a text: both numbers begin with 1. A column is a UTF-16 code unit. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

const space = /[ \t\n\r]*/y
const escapeSequence = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y
const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** Control characters cannot be in a string. */
const firstPrintable = 0x20

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or end'

/**
 * Returns the position of the first character with which a text cannot be JSON (RFC 8259). For a
 * text that is incomplete or valid, returns the position after the last character.
 */
export function findJsonError(text: string): TextPosition {
  const before = text.slice(0, findOffset(text)).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

function findOffset(text: string): number {
  const ends: ('}' | ']')[] = []
  let expected: Expected = 'value'
  let offset = 0
  const match = (pattern: RegExp): number => {
    pattern.lastIndex = offset
    return pattern.exec(text)?.[0].length ?? 0
  }
  for (;;) {
    offset += match(space)
    const character = text[offset]
    if (character === undefined) return offset
    const end = ends.at(-1)
    if (expected === ':') {
      if (character !== ':') return offset
      expected = 'value'
      offset++
      continue
    }
    if (expected === ', or end') {
      if (character === ',' && end !== undefined) expected = end === ']' ? 'value' : 'key'
      else if (character === end) ends.pop()
      else return offset
      offset++
      continue
    }
    const isEmpty =
      (expected === 'value or ]' && character === ']') ||
      (expected === 'key or }' && character === '}')
    if (isEmpty) {
      ends.pop()
      expected = ', or end'
      offset++
    } else if (character === '"') {
      // One expression for the entire string would need stack for each character.
      for (offset++; text[offset] !== '"'; ) {
        const length = text[offset] === '\\' ? match(escapeSequence) : 1
        if (length === 0 || !(text.charCodeAt(offset) >= firstPrintable)) return offset
        offset += length
      }
      offset++
      expected = expected.startsWith('key') ? ':' : ', or end'
    } else if (expected.startsWith('key')) {
      return offset
    } else if (character === '{' || character === '[') {
      ends.push(character === '{' ? '}' : ']')
      expected = character === '{' ? 'key or }' : 'value or ]'
      offset++
    } else {
      const length = match(literal)
      if (length === 0) return offset
      offset += length
      expected = ', or end'
    }
  }
}
