/** The order of the entries of a log: newest first. */

import type { ActivityEntriesOptions } from '../core/runtime/activity-log.js'
import type { ActivityEntry } from '../schema/activity-entry.js'

const maxTime = 9_999_999_999_999

/**
 * Returns the position of an entry in its log. In ascending order, the positions are those of
 * `ActivityStorage`: newest first. An entry that replaces a pending one has the same position.
 */
export function positionOf({ timestamp, requestId, resource }: ActivityEntry): string {
  const call = `${timePosition(Date.parse(timestamp))}.${complement(requestId)}`
  return resource.item === undefined ? call : `${call}.${resource.item.id}`
}

/**
 * Returns a string that sorts before the positions of all entries that these options allow, and
 * after those of all newer entries. It is empty if the newest entry is allowed.
 */
export function startPosition({ until, after }: ActivityEntriesOptions): string {
  // The positions of this time begin with the string and a dot, which sorts before a slash.
  const start = until === undefined ? '' : `${timePosition(Date.parse(until))}/`
  // The second half of a stored entry belongs to it.
  const end = after === undefined ? '' : `${after}!`
  return start > end ? start : end
}

/**
 * Returns a string that sorts before the positions of all entries of this time, in milliseconds
 * since 1970, and after those of all later entries.
 */
export function timePosition(time: number): string {
  const bounded = Math.min(Math.max(time, 0), maxTime)
  return String(maxTime - bounded).padStart(13, '0')
}

/** Returns the time of a position, in milliseconds since 1970, or NaN if it is not a position. */
export function timeOf(position: string): number {
  return maxTime - Number(position.slice(0, 13))
}

/** Returns the hexadecimal digits of a UUID, with each digit d replaced by 15 - d. */
function complement(uuid: string): string {
  return uuid
    .replaceAll('-', '')
    .replace(/./g, (digit) => (15 - Number.parseInt(digit, 16)).toString(16))
}
