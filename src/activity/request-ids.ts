/** The ids of calls. */

import { generationError } from '../base/fixed-errors.js'
import { toHex } from '../base/to-hex.js'
import type { RandomBytes } from '../core/runtime/random.js'

/** Returns the id of a call that begins at this time. */
export type NewRequestId = (now: Date, randomBytes: RandomBytes) => string

/**
 * Creates a source of UUIDs that sort in the order in which they were created (RFC 9562, version
 * 7). A counter of 24 bits orders those of the same millisecond, and 48 bits are random. The
 * function throws GenerationError if the random source does not return 6 bytes.
 */
export function createRequestIds(): NewRequestId {
  let lastTime = Number.NaN
  let count = 0
  return (now, randomBytes) => {
    const bytes = randomBytes(6)
    if (bytes.length !== 6) throw generationError()
    const time = Math.max(now.getTime(), 0)
    count = time === lastTime ? (count + 1) % 0x1_00_00_00 : 0
    lastTime = time
    const [milliseconds, counter] = [digits(time, 12), digits(count, 6)]
    return [
      ...[milliseconds.slice(0, 8), milliseconds.slice(8)],
      ...[`7${counter.slice(0, 3)}`, `8${counter.slice(3)}`],
      toHex(bytes),
    ].join('-')
  }
}

function digits(value: number, length: number): string {
  return value.toString(16).padStart(length, '0')
}
