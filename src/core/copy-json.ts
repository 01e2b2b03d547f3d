/** Copies a JSON value, so that nothing of it is shared. */

/** A copy of `value` through all its levels. A key `__proto__` is left out: no attribute has that name. */
export function copyJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyJson)
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    if (key !== '__proto__') copy[key] = copyJson(Reflect.get(value, key))
  }
  return copy
}
