/** Random bytes that stay the same while a text is edited. */

import type { RandomBytes } from 'cofferkit'

/**
 * Returns a source that records the bytes of the platform's cryptographic generator. Each source
 * that it returns yields the recorded bytes from the first one on, and records more where they end.
 * So the ids and passwords of a result do not change with every key that is pressed.
 */
export function recordRandomBytes(): () => RandomBytes {
  let recorded = new Uint8Array(0)
  return () => {
    let used = 0
    return (length) => {
      if (used + length > recorded.length) {
        const longer = crypto.getRandomValues(new Uint8Array(used + length + 1024))
        longer.set(recorded)
        recorded = longer
      }
      used += length
      return recorded.slice(used - length, used)
    }
  }
}
