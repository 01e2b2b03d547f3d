/** Recognizes the values that are objects in JSON. */

/** Returns true for an object that is not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
