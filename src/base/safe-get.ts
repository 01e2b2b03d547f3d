/** Reads a property of a value of any type. */

/**
 * Returns a property of an object or a function.
 * @returns `undefined` if `value` is neither, if the property does not exist, or if reading
 * it throws.
 */
export function safeGet(value: unknown, key: PropertyKey): unknown {
  try {
    const isObject = typeof value === 'object' || typeof value === 'function'
    return isObject && value !== null ? Reflect.get(value, key) : undefined
  } catch {
    return undefined
  }
}
