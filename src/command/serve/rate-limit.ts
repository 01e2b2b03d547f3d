/** Limits how often something happens, for each caller or address. */

/** The number of keys that are remembered. The one that was seen least recently is forgotten. */
const maxKeys = 10_000

interface Bucket {
  /** The number of calls that are still allowed, from 0 to the limit. */
  left: number
  /** Milliseconds on the clock of the limit. */
  at: number
}

/**
 * Creates a limit of `perMinute` for each key. What was not used in a minute is lost.
 * @param now - Milliseconds of a clock that never goes back.
 * @returns A function that counts one event of a key. It returns 0 if the event is within the limit,
 * and otherwise the whole seconds until the next one is.
 */
export function createRateLimit(
  perMinute: number,
  now: () => number = () => performance.now(),
): (key: string) => number {
  const buckets = new Map<string, Bucket>()
  const perMs = perMinute / 60_000
  return (key) => {
    const at = now()
    const before = buckets.get(key) ?? { left: perMinute, at }
    const left = Math.min(perMinute, before.left + (at - before.at) * perMs)
    const isAllowed = left >= 1
    buckets.delete(key)
    buckets.set(key, { left: isAllowed ? left - 1 : left, at })
    if (buckets.size > maxKeys) {
      const [oldest = ''] = buckets.keys()
      buckets.delete(oldest)
    }
    return isAllowed ? 0 : Math.ceil((1 - left) / perMs / 1000)
  }
}
