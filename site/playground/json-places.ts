/** Finds the places of the values in a JSON text, and the place at which a text is not JSON. */

/** A part of a text: from `start` up to but not including `end`, in UTF-16 code units. */
export interface Place {
  readonly start: number
  readonly end: number
}

/** A value in a JSON text, and the values in it by their names or indices. */
export interface JsonPlaces extends Place {
  readonly members: ReadonlyMap<string, JsonPlaces>
}

/** A text is not JSON. The message begins after the place: `expected a value`. */
export class JsonSyntaxError extends Error {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

const maxDepth = 500
const none: ReadonlyMap<string, JsonPlaces> = new Map()

/**
 * Returns the places of all values of a JSON text (RFC 8259).
 * @throws JsonSyntaxError if `JSON.parse` rejects the text, or if it has more than 500 levels.
 */
export function findJsonPlaces(text: string): JsonPlaces {
  let offset = 0

  const fail = (message: string, at = offset): never => {
    throw new JsonSyntaxError(at, message)
  }
  const skipSpace = (): void => {
    offset = matchEnd(/[ \t\n\r]*/y) ?? offset
  }
  /** Returns the end of a match at the current offset. */
  const matchEnd = (pattern: RegExp): number | undefined => {
    pattern.lastIndex = offset
    return pattern.test(text) ? pattern.lastIndex : undefined
  }
  const take = (character: string): boolean => {
    if (text[offset] !== character) return false
    offset++
    return true
  }

  const readString = (): string => {
    const start = offset++
    for (;;) {
      while (isPlain(text[offset])) offset++
      if (take('"')) return String(JSON.parse(text.slice(start, offset)))
      const escapeEnd = matchEnd(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y)
      if (escapeEnd !== undefined) offset = escapeEnd
      else if (text[offset] === '\\') fail('this escape does not exist in JSON')
      else if (offset >= text.length || text[offset] === '\n')
        fail('the string that begins here has no closing quote', start)
      else fail('a control character must be escaped')
    }
  }

  const readObject = (depth: number): JsonPlaces => {
    const start = offset++
    const members = new Map<string, JsonPlaces>()
    skipSpace()
    if (take('}')) return { start, end: offset, members }
    for (;;) {
      skipSpace()
      if (text[offset] !== '"') fail('expected a name in double quotes')
      const name = readString()
      skipSpace()
      if (!take(':')) fail('expected a colon')
      members.set(name, readValue(depth))
      if (take('}')) return { start, end: offset, members }
      if (!take(',')) fail('expected a comma or }')
    }
  }

  const readArray = (depth: number): JsonPlaces => {
    const start = offset++
    const members = new Map<string, JsonPlaces>()
    skipSpace()
    if (take(']')) return { start, end: offset, members }
    for (;;) {
      members.set(`${members.size}`, readValue(depth))
      if (take(']')) return { start, end: offset, members }
      if (!take(',')) fail('expected a comma or ]')
    }
  }

  /** Reads a value and the white space around it. */
  const readValue = (depth: number): JsonPlaces => {
    if (depth > maxDepth) fail(`more than ${maxDepth} levels`)
    skipSpace()
    const value = readBareValue(depth + 1)
    skipSpace()
    return value
  }

  const readBareValue = (depth: number): JsonPlaces => {
    const start = offset
    if (text[offset] === '{') return readObject(depth)
    if (text[offset] === '[') return readArray(depth)
    if (text[offset] === '"') readString()
    else
      offset =
        matchEnd(/true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y) ??
        fail(messageFor(text[offset]))
    return { start, end: offset, members: none }
  }

  const root = readValue(0)
  if (offset < text.length) fail('expected the end of the text')
  return root
}

/** Returns true for a character that a string contains without an escape. */
function isPlain(character: string | undefined): boolean {
  return character !== undefined && character >= ' ' && character !== '"' && character !== '\\'
}

function messageFor(character: string | undefined): string {
  if (character === "'") return 'a string needs double quotes'
  if (character === '}' || character === ']') return `expected a value before ${character}`
  return 'expected a value'
}

/**
 * Returns the place that a path such as `fields/0/value` leads to, or that of its deepest part that
 * exists.
 */
export function placeOfPath(places: JsonPlaces, path: string): Place {
  let place = places
  for (const token of path.split('/')) {
    const member = place.members.get(token)
    if (member === undefined) return place
    place = member
  }
  return place
}

/** Returns the line and the column of an offset, both from 1. */
export function lineAndColumn(text: string, offset: number): readonly [number, number] {
  const lines = text.slice(0, offset).split('\n')
  return [lines.length, (lines.at(-1)?.length ?? 0) + 1]
}
