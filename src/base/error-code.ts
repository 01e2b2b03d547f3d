/** Tells codes and names of errors from text that may contain a secret. */

/** Returns true for 1 to 60 letters, digits and underscores, as in the name or code of an error. */
export function isErrorWord(value: unknown): value is string {
  return typeof value === 'string' && /^\w{1,60}$/.test(value)
}

/** Returns true for a code of 2 to 60 capital letters, digits and underscores: `ECONNREFUSED`. */
export function isErrorCode(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Z][A-Z\d_]{1,59}$/.test(value)
}
