/** Parses times that users write: a time of RFC 3339, or a duration from now. */

import { isDay } from '../base/calendar.js'
import { CommandError } from './command-error.js'

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const timePattern =
  /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** Returns true for a time of RFC 3339, such as `2027-01-31T09:00:00Z`. */
export function isTime(text: unknown): text is string {
  if (typeof text !== 'string') return false
  const day = timePattern.exec(text)?.[1] ?? ''
  // `Date` reads 30 February as 2 March.
  return isDay(day) && !Number.isNaN(Date.parse(text))
}

/**
 * Returns a time of RFC 3339, or the time of a duration before or after now; undefined for no text.
 * @param direction - 1 if durations are counted from now on, -1 if they are counted back.
 * @throws CommandError that names the flag.
 */
export function parseTime(
  flag: string,
  text: string | undefined,
  now: number,
  direction: 1 | -1,
): string | undefined {
  if (text === undefined) return undefined
  const [, count, unit] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? []
  if (unit !== undefined) {
    const durationMs = Number(count) * unitMs[unit as keyof typeof unitMs]
    return new Date(now + direction * durationMs).toISOString()
  }
  if (isTime(text)) return text
  throw new CommandError(
    `--${flag}: must be a time such as 2027-01-31T09:00:00Z, or a duration such as 24h or 7d`,
  )
}
