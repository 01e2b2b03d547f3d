/** How deep a JSON value is nested. */

/** Whether `value` has more than `limit` levels of objects and arrays; looks no deeper than that. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit === 0) return true
  for (const key in value) {
    if (isDeeperThan(Reflect.get(value, key), limit - 1)) return true
  }
  return false
}
