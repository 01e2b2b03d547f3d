/** Recognizes the id of a vault or an item, without the schemas. */

/** The form of the id of a vault or an item: 26 characters of `0-9 a-z`. */
export const idPattern = /^[\da-z]{26}$/

/** Returns true if `value` has the form of the id of a vault or an item. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value)
}
