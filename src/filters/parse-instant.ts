/** Parses points in time. */

const pattern =
  /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2})(?:\.(\d{1,12}))?(Z|[+-]\d{2}:\d{2}))?$/i

/**
 * Parses a time of RFC 3339, or a date, which is its first moment in UTC.
 * @returns The milliseconds since 1970. A time between two milliseconds is half way between them,
 * so that it is ordered correctly among times with whole milliseconds. Undefined if the text is not
 * a time, or is of a day or an hour that does not exist.
 */
export function parseInstant(text: string): number | undefined {
  const [isTime, date, time = '00:00:00', fraction = '', offset = 'Z'] = pattern.exec(text) ?? []
  if (isTime === undefined || !isDay(`${date}`)) return undefined
  const milliseconds = Date.parse(
    `${date}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}${offset.toUpperCase()}`,
  )
  if (Number.isNaN(milliseconds)) return undefined
  return milliseconds + (/[1-9]/.test(fraction.slice(3)) ? 0.5 : 0)
}

/** Returns true if the date exists. `Date.parse` accepts February 30. */
function isDay(date: string): boolean {
  const start = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(date)
}
