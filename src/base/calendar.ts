/** Checks days and months that are written as text. */

/** Returns true if `value` is an existing day as `YYYY-MM-DD`, or an integer number of seconds. */
export function isDay(value: string): boolean {
  if (/^-?\d{1,15}$/.test(value)) return true
  const midnight = `${value}T00:00:00.000Z`
  const day = new Date(midnight)
  return /^\d{4}-/.test(value) && !Number.isNaN(day.getTime()) && day.toISOString() === midnight
}

/** Returns true if `value` is a month as `YYYYMM`, `YYYY/MM` or `YYYY-MM`. */
export function isMonth(value: string): boolean {
  return /^\d{4}[/-]?(?:0[1-9]|1[0-2])$/.test(value)
}
