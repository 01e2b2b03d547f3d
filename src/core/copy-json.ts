/** Copies a JSON value, so that nothing of it is shared. */

/**
 * A copy of `value` through all its levels. Members that are undefined are left out, as JSON has none, and so is a key
 * `__proto__`: no attribute has that name.
 */
export function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyJson)
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key)
    if (key !== '__proto__' && member !== undefined) copy[key] = copyJson(member)
  }
  return copy
}
