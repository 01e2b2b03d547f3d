/** Reads a property of a value of any type. */

/**
 * Returns a property of an object.
 * @returns `undefined` if `value` is not an object, if the property does not exist, or if reading
 * it throws.
 */
export function safeGet(value: unknown, key: PropertyKey): unknown {
  try {
    return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
  } catch {
    return undefined
  }
}
