/** How deep a JSON value is nested. */

/** Whether `value` has more than `limit` levels of objects and arrays; looks no deeper than that. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (limit === 0) return true
  // By index and by key: each is many times slower for the other kind.
  if (Array.isArray(value)) {
    for (const element of value) if (isDeeperThan(element, limit - 1)) return true
    return false
  }
  const members = value as Readonly<Record<string, unknown>>
  for (const key in members) {
    if (isDeeperThan(members[key], limit - 1)) return true
  }
  return false
}
