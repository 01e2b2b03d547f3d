/** Random bytes that stay the same while a text is edited. */

import type { RandomBytes } from 'cofferkit'

/** The most bytes that one call of the generator draws. */
const maxDrawnBytes = 65_536

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
        recorded = extend(recorded, Math.max(used + length, 2 * recorded.length, 1024))
      }
      used += length
      return recorded.slice(used - length, used)
    }
  }
}

/** Returns a copy with random bytes after the given ones. */
function extend(bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(length)
  longer.set(bytes)
  for (let start = bytes.length; start < length; start += maxDrawnBytes)
    crypto.getRandomValues(longer.subarray(start, start + maxDrawnBytes))
  return longer
}
