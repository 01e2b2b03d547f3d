/** Makes a long value recognizable without showing it. */

/** The minimum length in code points of a value that gets a hint. */
const minHintedLength = 16

/**
 * Returns the last four characters of a value, as in `…WXYZ`, for a list from which people choose.
 * @returns Undefined if the value has fewer than 16 characters, or if one of the four is neither a
 * letter nor a digit.
 */
export function hintOf(value: string): string | undefined {
  const characters = [...value]
  const end = characters.slice(-4).join('')
  const hasHint = characters.length >= minHintedLength && /^[\p{L}\p{Nd}]{4}$/u.test(end)
  return hasHint ? `…${end}` : undefined
}
