/** Keeps the entries of a map in the order in which they were last used. */

/**
 * Puts an entry at the end of a map, even if it was already in it.
 * @returns The value of the first entry if it was removed, because there were more than `maximum`.
 */
export function setNewest<Key, Value>(
  entries: Map<Key, Value>,
  key: Key,
  value: Value,
  maximum: number,
): Value | undefined {
  entries.delete(key)
  entries.set(key, value)
  const [oldest] = entries
  if (oldest === undefined || entries.size <= maximum) return undefined
  entries.delete(oldest[0])
  return oldest[1]
}
