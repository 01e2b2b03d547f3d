/** The place of a sealed value: a column of a row. */

/**
 * A part of a row's id, as the database returns it. A number must be a safe integer, and counts as
 * the same part as its decimal string. A string must not be empty or contain a lone surrogate.
 */
export type RowPart = string | number | bigint

/**
 * Where a sealed value is stored. The value can be opened only at the place for which it was
 * sealed. If the row's key has several columns, pass a part for each.
 */
export type Place = readonly [table: string, column: string, row: RowPart, ...more: RowPart[]]

/**
 * Returns the parts of a place as strings.
 * @throws TypeError that names the first invalid part.
 */
export function toParts(place: Place): readonly string[] {
  if (!Array.isArray(place) || place.length < 3)
    throw new TypeError('place must be a list of a table, a column and the id of a row')
  return place.map(toPart)
}

function toPart(part: unknown, index: number): string {
  if (typeof part === 'string' && part !== '' && part.isWellFormed()) return part
  if (index > 1 && (typeof part === 'bigint' || Number.isSafeInteger(part))) return String(part)
  const expected = index > 1 ? 'text, a safe integer or a bigint' : 'text'
  const problem =
    part instanceof Promise ? 'is a promise: is await missing?' : `must be ${expected}`
  throw new TypeError(`place[${index}] ${problem}`)
}
